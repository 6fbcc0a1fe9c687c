package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.ReplyHeader;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.rpcrdma.binding.UpperLayerBinding.Eligibility;
import io.github.rpcrdma4j.rpcrdma.chunk.AlignedPayload;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionMemory;
import io.github.rpcrdma4j.rpcrdma.connection.ExposedMemory;
import io.github.rpcrdma4j.rpcrdma.connection.Framing;
import io.github.rpcrdma4j.rpcrdma.connection.Terms;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall.ReducedItem;
import io.github.rpcrdma4j.rpcrdma.wire.Alignment;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.PayloadPieces;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/**
 * Lays out a call on the thread that makes it, before anything is locked or registered: memory that
 * only this thread may touch, or that lies on the heap, is copied to stand-ins here.
 */
public final class CallBuilder {
    private final SegmentPool pool;
    private final Alignment alignment;
    private final List<SegmentPool.Lease> standIns = new ArrayList<>(0);

    public CallBuilder(SegmentPool pool) {
        this(pool, Alignment.NONE);
    }

    /**
     * @param alignment what the server likes long items to be aligned to, whatever its base
     */
    public CallBuilder(SegmentPool pool, Alignment alignment) {
        this.pool = pool;
        this.alignment = alignment;
    }

    /**
     * @param replyVerifierMax the longest verifier body of the reply, in octets
     * @param encoded the whole RPC message; not needed any more afterwards
     * @throws IllegalArgumentException if the call cannot be laid out
     */
    public PendingCall build(
            int xid,
            RpcCall call,
            int replyVerifierMax,
            XdrWriter encoded,
            Eligibility eligible,
            Terms terms,
            ConnectionMemory memory,
            long segmentMax) {
        var items = encoded.bulkItems();
        var shape =
                CallShape.plan(
                        call,
                        replyVerifierMax,
                        eligible,
                        encoded.reducedStream().byteSize(),
                        items,
                        terms,
                        segmentMax);
        if (terms.framing() == Framing.VERSION_2) {
            return draft(xid, call, replyVerifierMax, encoded, eligible, shape, memory, segmentMax);
        }
        var padded = padded(shape, encoded, terms);
        if (padded.isPresent()) {
            shape = shape.padded(padding(shape), padded.get().length());
        }
        var reducedItems = new ArrayList<ReducedItem>(shape.reducedItems());
        // A chunk for each item, at its place in the unreduced stream (RFC 8166-3.4.4.4-1).
        for (int i = 0; i < shape.reducedItems(); i++) {
            var item = items.get(i);
            // An empty segment is a fatal error in a thread of a Linux server (lib/sg_pool.c).
            if (item.data().byteSize() > 0) {
                reducedItems.add(new ReducedItem((int) item.position(), readable(item.data())));
            }
        }
        List<MemorySegment> targets = List.of();
        if (shape.offersWriteChunks()) {
            targets = writable(call.resultTargets());
        }
        return new PendingCall(
                xid,
                shape,
                padded.isPresent() ? flatten(shape, padded.get()) : flatten(shape, encoded),
                reducedItems,
                targets,
                standIns,
                new ExposedMemory(memory, segmentMax));
    }

    /** In version 2 it is laid out when it is sent: only then the credits are known. */
    private PendingCall draft(
            int xid,
            RpcCall call,
            int replyVerifierMax,
            XdrWriter encoded,
            Eligibility eligible,
            CallShape shape,
            ConnectionMemory memory,
            long segmentMax) {
        var stream = pool.lease(encoded.reducedStream().byteSize());
        stream.segment().copyFrom(encoded.reducedStream());
        var items = new ArrayList<BulkItem>();
        for (var item : encoded.bulkItems()) {
            items.add(new BulkItem(item.offset(), item.position(), readable(item.data())));
        }
        List<MemorySegment> targets =
                shape.offersWriteChunks() ? writable(call.resultTargets()) : List.of();
        long replyHeader = ReplyHeader.ACCEPTED_BYTES + replyVerifierMax;
        return new PendingCall(
                xid,
                shape,
                new CallDraft(
                        stream,
                        items,
                        eligible.arguments(),
                        new CallDraft.Expected(
                                replyHeader,
                                replyHeader
                                        + XdrWriter.roundUp(
                                                Math.max(call.resultsMax(), CallShape.RESULTS_MIN)),
                                CallShape.paddedBytes(call.resultTargets())),
                        standIns),
                targets,
                new ExposedMemory(memory, segmentMax));
    }

    /** The message as an RDMA_MSGP, if it is one that gains by it and is not too long for that. */
    private Optional<AlignedPayload> padded(CallShape shape, XdrWriter encoded, Terms terms) {
        if (alignment.equals(Alignment.NONE) || shape.longCall() || shape.reducedItems() > 0) {
            return Optional.empty();
        }
        var padding = padding(shape);
        return AlignedPayload.of(padding, encoded.reducedStream(), encoded.bulkItems())
                .filter(payload -> padding.base() + payload.length() <= terms.callThreshold());
    }

    /** With the two words of an RDMA_MSGP in the header. */
    private Alignment padding(CallShape shape) {
        return new Alignment(
                shape.headerBytes() + 2 * Integer.BYTES, alignment.align(), alignment.threshold());
    }

    private SegmentPool.Lease flatten(CallShape shape, AlignedPayload payload) {
        var lease = pool.lease(shape.headerBytes() + payload.length());
        payload.copyTo(lease.segment().asSlice(shape.headerBytes()));
        return lease;
    }

    private SegmentPool.Lease flatten(CallShape shape, XdrWriter encoded) {
        long room = shape.longCall() ? 0 : shape.headerBytes();
        var lease = pool.lease(room + shape.messageBytes());
        if (shape.reducedItems() == encoded.bulkItems().size()) {
            var stream = encoded.reducedStream();
            MemorySegment.copy(stream, 0, lease.segment(), room, stream.byteSize());
            return lease;
        }
        var reduced = new BitSet();
        reduced.set(0, shape.reducedItems());
        PayloadPieces.of(encoded.reducedStream(), encoded.bulkItems(), reduced)
                .copyTo(lease.segment().asSlice(room));
        return lease;
    }

    private MemorySegment readable(MemorySegment data) {
        if (ProtectionDomain.canRegister(data)) {
            return data;
        }
        var copy = standIn(data);
        copy.copyFrom(data);
        return copy;
    }

    private List<MemorySegment> writable(List<MemorySegment> targets) {
        boolean all = true;
        for (int i = 0; i < targets.size(); i++) {
            all &= ProtectionDomain.canRegister(targets.get(i));
        }
        if (all) {
            return targets;
        }
        return targets.stream()
                .map(each -> ProtectionDomain.canRegister(each) ? each : standIn(each))
                .toList();
    }

    private MemorySegment standIn(MemorySegment original) {
        var lease = pool.lease(original.byteSize());
        standIns.add(lease);
        return lease.segment();
    }
}
