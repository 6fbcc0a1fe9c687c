package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.xdr.Placements;
import io.github.rpcrdma4j.xdr.SegmentPool;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * A call between its encoding and its end. Guarded by the lock of its connection, but for {@link
 * #release}, which belongs to the thread that made the call.
 */
public final class PendingCall {
    /** What came of a call. */
    public sealed interface Answer {
        /**
         * A reply.
         *
         * @param payload the RPC message, in memory of the call
         * @param placements where its bulk results lie
         */
        record Reply(MemorySegment payload, Placements placements) implements Answer {}

        /** No reply will come. */
        record Failure(RpcException reason) implements Answer {}
    }

    /** Who made a call. */
    @FunctionalInterface
    public interface Caller {
        /** The call has its answer; told once, with the lock of the connection held. */
        void answered();
    }

    /**
     * A bulk argument that moves as a Read chunk.
     *
     * @param position of its data in the unreduced payload stream
     * @param data native memory that any thread may touch
     */
    record ReducedItem(int position, MemorySegment data) {}

    private final int xid;
    private final CallShape shape;
    private final List<ReducedItem> reducedItems;
    private final List<MemorySegment> resultTargets;
    private final ExposedMemory exposed;
    private final List<SegmentPool.Lease> leases;
    private SegmentPool.Lease message;
    private CallState state = CallState.WAITING;
    private ChunkLists offered = ChunkLists.EMPTY;
    private MemorySegment replyChunk = MemorySegment.NULL;
    private Answer answer;
    private Caller caller;

    /**
     * @param message the RPC message behind room for the transport header; for a long call without
     *     that room
     * @param resultTargets native memory for the Write chunks
     * @param standIns memory that holds copies of what the caller passed on the heap
     */
    PendingCall(
            int xid,
            CallShape shape,
            SegmentPool.Lease message,
            List<ReducedItem> reducedItems,
            List<MemorySegment> resultTargets,
            List<SegmentPool.Lease> standIns,
            ExposedMemory exposed) {
        this.xid = xid;
        this.shape = shape;
        this.message = message;
        this.reducedItems = reducedItems;
        this.resultTargets = resultTargets;
        this.leases = new ArrayList<>(standIns);
        this.exposed = exposed;
    }

    int xid() {
        return xid;
    }

    CallShape shape() {
        return shape;
    }

    List<ReducedItem> reducedItems() {
        return reducedItems;
    }

    List<MemorySegment> resultTargets() {
        return resultTargets;
    }

    ExposedMemory exposed() {
        return exposed;
    }

    /** Hands the encoded message over: from now on whoever sends it gives it back. */
    SegmentPool.Lease takeMessage() {
        var taken = message;
        message = null;
        return taken;
    }

    /** Memory that is given back when the call is released. */
    SegmentPool.Lease hold(SegmentPool.Lease lease) {
        leases.add(lease);
        return lease;
    }

    /** What was offered to the responder. */
    ChunkLists offered() {
        return offered;
    }

    /** The memory of the Reply chunk; empty if none was offered. */
    MemorySegment replyChunk() {
        return replyChunk;
    }

    void offer(ChunkLists chunks, MemorySegment replyMemory) {
        offered = chunks;
        replyChunk = replyMemory;
    }

    CallState state() {
        return state;
    }

    /** Takes a step and says what must be done. */
    CallState.Step step(CallState.Event event) {
        var step = state.on(event);
        state = step.next();
        return step;
    }

    void complete(Answer given) {
        answer = given;
    }

    /** What came of it; null while nothing has. */
    public Answer answer() {
        return answer;
    }

    /** Says who is to be told of the answer. */
    public void tells(Caller told) {
        caller = told;
    }

    /** Tells whoever made the call. */
    public void tellCaller() {
        caller.answered();
    }

    /** Gives back the memory of the call, once it has its answer and nobody looks at that. */
    public void release() {
        if (message != null) {
            takeMessage().close();
        }
        leases.forEach(SegmentPool.Lease::close);
        leases.clear();
    }
}
