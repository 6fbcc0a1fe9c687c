package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.connection.ExposedMemory;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A call as RFC 8166 has it, with chunks or in one Send (RFC 8166, Section 3.5). */
public final class ChunkedCall extends OfferingCall {
    private final List<ReducedItem> reducedItems;

    /** Null once it was sent, or released. */
    private SegmentPool.Lease message;

    /**
     * @param message the RPC message behind room for the transport header; for a long call without
     *     that room
     * @param resultTargets native memory for the Write chunks
     * @param standIns memory that holds copies of what the caller passed on the heap
     */
    public ChunkedCall(
            int xid,
            CallShape shape,
            SegmentPool.Lease message,
            List<ReducedItem> reducedItems,
            List<MemorySegment> resultTargets,
            List<SegmentPool.Lease> standIns,
            ExposedMemory exposed) {
        super(xid, shape, resultTargets, standIns, exposed);
        this.message = message;
        this.reducedItems = reducedItems;
    }

    /** The bulk arguments that are offered. */
    List<ReducedItem> reducedItems() {
        return reducedItems;
    }

    /** Hands the encoded message over: from now on its taker gives it back. */
    SegmentPool.Lease takeMessage() {
        var taken = message;
        message = null;
        return taken;
    }

    @Override
    public void release() {
        if (message != null) {
            takeMessage().close();
        }
        super.release();
    }
}
