package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.rpcrdma.connection.ExposedMemory;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.xdr.Placements;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A call between its encoding and its end. Guarded by the lock of its connection, but for {@link
 * #release}, which belongs to the thread that made the call.
 */
public abstract sealed class PendingCall permits ShortCall, OfferingCall {
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

    private final List<SegmentPool.Lease> leases = new ArrayList<>(0);
    private int xid;

    /** What it was made of; null once it was released. */
    private RpcCall asked;

    private CallState state = CallState.WAITING;
    private Answer answer;
    private Caller caller;

    PendingCall(int xid) {
        this.xid = xid;
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

    /** How many credits it holds, from its sending to its answer. */
    int credits() {
        return 1;
    }

    /** The memory that it opens to the responder. */
    public abstract ExposedMemory exposed();

    /** What was offered to the responder. */
    abstract ChunkLists offered();

    /** The memory of the Reply chunk; empty if none was offered. */
    abstract MemorySegment replyChunk();

    /** The memory of its Write chunks. */
    public abstract List<MemorySegment> resultTargets();

    /** Whether Sends with the caller's memory are under way. */
    public boolean isBeingSent() {
        return false;
    }

    /** Memory that is given back when the call is released. */
    public SegmentPool.Lease hold(SegmentPool.Lease lease) {
        leases.add(lease);
        return lease;
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

    /** Tells the caller. */
    public void tellCaller() {
        caller.answered();
    }

    /**
     * Gives back the memory of the call, once it has its answer and the caller has done with that;
     * to be called once.
     */
    public void release() {
        asked = null;
        for (int i = 0; i < leases.size(); i++) {
            leases.get(i).close();
        }
        leases.clear();
    }
}
