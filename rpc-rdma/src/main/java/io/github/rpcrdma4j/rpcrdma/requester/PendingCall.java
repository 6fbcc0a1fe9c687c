package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.connection.ExposedMemory;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.verbs.UnknownHandle;
import io.github.rpcrdma4j.xdr.Placements;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/**
 * A call between its encoding and its end. Guarded by the lock of its connection, except {@link
 * #release}, which the calling thread calls.
 *
 * <p>Tests: {@code CallsOnTheWireTest}, {@code GivenUpCallsTest}.
 */
public abstract sealed class PendingCall permits ShortCall, ChunkedCall {
    /** The answer to a call. */
    public sealed interface Answer {
        /**
         * A reply.
         *
         * @param payload the RPC message, in memory of the call
         * @param placements the memory of its bulk results
         */
        record Reply(MemorySegment payload, Placements placements) implements Answer {}

        /** No reply will come. */
        record Failure(RpcException reason) implements Answer {}
    }

    /** The waiting caller of a call. Only the owner of the requester knows its type. */
    public interface Caller {
        /** Notes that the call is sent, with the lock of the connection; it must not wait. */
        default void sent() {}
    }

    private final CallMemory memory;
    private int xid;

    /** The call of the user; null after the release. */
    private RpcCall userCall;

    private CallState state = CallState.WAITING;
    private Answer answer;
    private Caller caller;

    PendingCall(int xid, CallMemory memory) {
        this.xid = xid;
        this.memory = memory;
    }

    /** Turns this object into another call. */
    void restart(int newXid) {
        xid = newXid;
        state = CallState.WAITING;
        answer = null;
        caller = null;
    }

    /** Sets the call of the user. */
    public PendingCall userCall(RpcCall call) {
        userCall = call;
        return this;
    }

    /** Returns the call of the user; empty after the release. */
    Optional<RpcCall> userCall() {
        return Optional.ofNullable(userCall);
    }

    public int xid() {
        return xid;
    }

    public CallState state() {
        return state;
    }

    /** Takes a step for an event and returns it with its actions. */
    CallState.Step step(CallState.Event event) {
        var step = state.on(event);
        state = step.next();
        return step;
    }

    /** Returns the memory of the call. */
    public CallMemory memory() {
        return memory;
    }

    /** Returns the memory that the call opens to the responder. */
    public ExposedMemory exposed() {
        return memory.exposed();
    }

    /** Returns the chunk lists that the call offered. */
    abstract ChunkLists offered();

    /** Returns the memory of the Reply chunk; empty if none was offered. */
    abstract MemorySegment replyChunk();

    /** Returns the memory of the Write chunks. */
    public abstract List<MemorySegment> resultTargets();

    /** Returns how many credits the call holds from its sending to its answer; 1 or more. */
    protected int credits() {
        return 1;
    }

    /** Returns whether Sends that read the caller's memory are posted. */
    public boolean isBeingSent() {
        return false;
    }

    /**
     * Sends the call. Its credits are taken, and its receives are posted.
     *
     * @param credits the credits to request
     */
    protected abstract void send(Endpoint endpoint, Counters counters, int credits);

    /** Adds a lease that is closed when the call is released and its Sends have ended. */
    public SegmentPool.Lease hold(SegmentPool.Lease lease) {
        return memory.hold(lease);
    }

    void complete(Answer given) {
        answer = given;
    }

    /** Returns the answer; null while there is none. */
    public Answer answer() {
        return answer;
    }

    /** Sets the waiting caller. */
    public void caller(Caller waiting) {
        caller = waiting;
    }

    /** Tells the waiting caller that the call is sent; probes have none. */
    void tellSent() {
        if (caller != null) {
            caller.sent();
        }
    }

    /** Returns the waiting caller. */
    public Caller caller() {
        return caller;
    }

    /**
     * Releases the memory of the call, after the caller has used the answer. It is called once. The
     * memory of an abandoned call is not reused, because the peer may still answer.
     */
    public void release() {
        userCall = null;
        memory.release(state == CallState.FINISHED || state == CallState.WAITING);
    }

    /** Returns why the connection of a call has ended that was given up. */
    final String givenUp(UnknownHandle.Use use) {
        var why =
                switch (answer()) {
                    case Answer.Failure(var reason) -> reason.getMessage();
                    case Answer.Reply _ ->
                            throw new AssertionError("a call was given up and answered");
                };
        var late =
                switch (use) {
                    case READ -> "read from";
                    case WRITE -> "wrote to";
                    case INVALIDATE -> "invalidated";
                };
        return "this side gave up a call ("
                + why
                + "), and the peer "
                + late
                + " the memory of that call afterwards, which ended the connection";
    }
}
