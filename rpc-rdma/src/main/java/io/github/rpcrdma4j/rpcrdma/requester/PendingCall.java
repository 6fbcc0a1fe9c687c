package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.connection.ExposedMemory;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.xdr.Placements;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/**
 * A call between its encoding and its end. Guarded by the lock of its connection, but for {@link
 * #release}, which belongs to the thread that made the call.
 */
public abstract sealed class PendingCall permits ShortCall, ChunkedCall {
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

    /** Who waits for a call. What that is, only the owner of its requester knows. */
    public interface Caller {}

    private final CallMemory memory;
    private int xid;

    /** What it was made of; null once it was released. */
    private RpcCall asked;

    private CallState state = CallState.WAITING;
    private Answer answer;
    private Caller caller;

    PendingCall(int xid, CallMemory memory) {
        this.xid = xid;
        this.memory = memory;
    }

    /** From now on it is another call. */
    void restart(int newXid) {
        xid = newXid;
        state = CallState.WAITING;
        answer = null;
        caller = null;
    }

    /** Says what it was made of. */
    public PendingCall of(RpcCall call) {
        asked = call;
        return this;
    }

    /** What it was made of; empty once it was released. */
    Optional<RpcCall> asked() {
        return Optional.ofNullable(asked);
    }

    public int xid() {
        return xid;
    }

    public CallState state() {
        return state;
    }

    /** Takes a step and says what must be done. */
    CallState.Step step(CallState.Event event) {
        var step = state.on(event);
        state = step.next();
        return step;
    }

    /** Where its message lies, and what it holds. */
    public CallMemory memory() {
        return memory;
    }

    /** The memory that it opens to the responder. */
    public ExposedMemory exposed() {
        return memory.exposed();
    }

    /** What was offered to the responder. */
    abstract ChunkLists offered();

    /** The memory of the Reply chunk; empty if none was offered. */
    abstract MemorySegment replyChunk();

    /** The memory of its Write chunks. */
    public abstract List<MemorySegment> resultTargets();

    /** How many credits it holds, from its sending to its answer; 1 or more. */
    protected int credits() {
        return 1;
    }

    /** Whether Sends with the caller's memory are under way. */
    public boolean isBeingSent() {
        return false;
    }

    /**
     * Sends it; its credits are taken, and its receives are posted.
     *
     * @param credits what it asks for
     */
    protected abstract void send(Endpoint endpoint, Counters counters, int credits);

    /** Memory that is given back when the call is released and its Sends have ended. */
    public SegmentPool.Lease hold(SegmentPool.Lease lease) {
        return memory.hold(lease);
    }

    void complete(Answer given) {
        answer = given;
    }

    /** What came of it; null while nothing has. */
    public Answer answer() {
        return answer;
    }

    /** Says who waits for it. */
    public void caller(Caller waiting) {
        caller = waiting;
    }

    /** Who waits for it. */
    public Caller caller() {
        return caller;
    }

    /**
     * Gives back the memory of the call, once it has its answer and the caller has done with that;
     * to be called once. The peer may still answer a call that was given up: no other call has its
     * memory.
     */
    public void release() {
        asked = null;
        memory.release(state == CallState.FINISHED || state == CallState.WAITING);
    }
}
