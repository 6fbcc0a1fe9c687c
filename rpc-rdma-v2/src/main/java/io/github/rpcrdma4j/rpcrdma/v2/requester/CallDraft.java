package io.github.rpcrdma4j.rpcrdma.v2.requester;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.PayloadPieces;
import java.util.BitSet;
import java.util.List;

/**
 * A call of version 2 whose way is chosen when it is sent: the message without its bulk arguments,
 * and these. The memory is held until the call was released and nothing of it is posted any more.
 * Guarded by the lock of the connection, but for {@link #release}.
 */
final class CallDraft {
    private final SegmentPool.Lease stream;
    private final List<SegmentPool.Lease> standIns;
    private final List<BulkItem> items;
    private final int eligible;
    private final Expected expected;
    private int holders = 1;

    /**
     * How long a reply may get, in octets.
     *
     * @param min of the shortest
     * @param stream of the longest, without its bulk results
     * @param bulk of these, with padding
     */
    record Expected(long min, long stream, long bulk) {}

    /**
     * @param stream the message without its bulk arguments
     * @param items these, in native memory that any thread may touch
     * @param eligible how many of them, from the first on, may be moved
     * @param expected how long its reply may get
     * @param standIns copies of what the caller passed on the heap
     */
    CallDraft(
            SegmentPool.Lease stream,
            List<BulkItem> items,
            int eligible,
            Expected expected,
            List<SegmentPool.Lease> standIns) {
        this.stream = stream;
        this.items = List.copyOf(items);
        this.eligible = eligible;
        this.expected = expected;
        this.standIns = List.copyOf(standIns);
    }

    List<BulkItem> items() {
        return items;
    }

    /** How long its reply may get. */
    Expected expected() {
        return expected;
    }

    /** The bulk arguments that can be moved: those that may, and are not empty. */
    BitSet movable() {
        var movable = new BitSet();
        for (int i = 0; i < Math.min(eligible, items.size()); i++) {
            movable.set(i, items.get(i).data().byteSize() > 0);
        }
        return movable;
    }

    /** The message without the arguments that are moved. */
    PayloadPieces without(BitSet moved) {
        return PayloadPieces.of(stream.segment(), items, moved);
    }

    /** The memory is in use once more, by a Send. */
    synchronized void hold() {
        holders++;
    }

    /** A Send has ended, or the call was released. */
    void release() {
        synchronized (this) {
            if (--holders > 0) {
                return;
            }
        }
        stream.close();
        standIns.forEach(SegmentPool.Lease::close);
    }

    /** Whether Sends that carry the caller's memory are under way. */
    synchronized boolean isBeingSent() {
        return holders > 1;
    }
}
