package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.connection.ExposedMemory;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A call that may offer chunks. It is made for one use. */
public abstract sealed class OfferingCall extends PendingCall permits ChunkedCall, ProfileCall {
    /**
     * A bulk argument that moves as a Read chunk.
     *
     * @param position of its data in the unreduced payload stream
     * @param data native memory that any thread may touch
     */
    public record ReducedItem(int position, MemorySegment data) {}

    private final CallShape shape;
    private final List<MemorySegment> resultTargets;
    private final ExposedMemory exposed;
    private ChunkLists offered = ChunkLists.EMPTY;
    private MemorySegment replyChunk = MemorySegment.NULL;

    /**
     * @param resultTargets native memory for the Write chunks
     * @param standIns memory that holds copies of what the caller passed on the heap
     */
    OfferingCall(
            int xid,
            CallShape shape,
            List<MemorySegment> resultTargets,
            List<SegmentPool.Lease> standIns,
            ExposedMemory exposed) {
        super(xid);
        this.shape = shape;
        this.resultTargets = resultTargets;
        this.exposed = exposed;
        for (int i = 0; i < standIns.size(); i++) {
            hold(standIns.get(i));
        }
    }

    /** How it travels. */
    public CallShape shape() {
        return shape;
    }

    @Override
    public List<MemorySegment> resultTargets() {
        return resultTargets;
    }

    @Override
    public ExposedMemory exposed() {
        return exposed;
    }

    @Override
    public ChunkLists offered() {
        return offered;
    }

    @Override
    public MemorySegment replyChunk() {
        return replyChunk;
    }

    /** Says what is offered, and where the Reply chunk lies. */
    public void offer(ChunkLists chunks, MemorySegment replyMemory) {
        offered = chunks;
        replyChunk = replyMemory;
    }
}
