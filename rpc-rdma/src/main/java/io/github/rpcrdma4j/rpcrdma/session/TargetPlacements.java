package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall;
import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.Placements;
import io.github.rpcrdma4j.xdr.XdrException;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Placements of a call whose targets cannot all be registered, because they are on the heap or
 * confined to a thread. The call received these results in leases, and they are copied into the
 * targets when they are decoded. Not thread-safe.
 */
final class TargetPlacements implements Placements {
    private final Placements placed;

    /** The memory that the call opened to the responder: a target itself, or a lease for it. */
    private final List<MemorySegment> opened;

    private final List<MemorySegment> targets;

    private TargetPlacements(
            Placements placed, List<MemorySegment> opened, List<MemorySegment> targets) {
        this.placed = placed;
        this.opened = opened;
        this.targets = targets;
    }

    /** Returns placements in the targets of a call; {@code placed} itself if it had no leases. */
    static Placements of(Placements placed, PendingCall pending, RpcCall call) {
        var opened = pending.resultTargets();
        return opened.isEmpty() || opened == call.resultTargets()
                ? placed
                : new TargetPlacements(placed, opened, call.resultTargets());
    }

    /**
     * {@inheritDoc}
     *
     * @throws WrongThreadException if the target is confined to another thread
     */
    @Override
    public MemorySegment take(long position, long count) throws XdrException {
        var data = placed.take(position, count);
        for (int i = 0; i < opened.size() && data != null && count > 0; i++) {
            var lease = opened.get(i);
            if (lease != targets.get(i)
                    && lease.byteSize() >= count
                    && lease.address() == data.address()) {
                return targets.get(i).asSlice(0, count).copyFrom(data);
            }
        }
        return data;
    }

    @Override
    public boolean awaits(long position, long count) {
        return placed.awaits(position, count);
    }

    @Override
    public List<BulkItem> remaining() {
        return placed.remaining();
    }

    @Override
    public long padding(long at, long count) {
        return placed.padding(at, count);
    }

    @Override
    public boolean isPadded() {
        return placed.isPadded();
    }

    @Override
    public void skipAbsent() {
        placed.skipAbsent();
    }

    @Override
    public void finish() throws XdrException {
        placed.finish();
    }
}
