package io.github.rpcrdma4j.rpcrdma.v2.requester;

import io.github.rpcrdma4j.rpcrdma.connection.ExposedMemory;
import io.github.rpcrdma4j.rpcrdma.requester.CallShape;
import io.github.rpcrdma4j.rpcrdma.requester.ProfileCall;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.BufferLayout;
import io.github.rpcrdma4j.rpcrdma.v2.wire.ResponseSet;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A call whose way is chosen when it is sent. Guarded by the lock of the connection. */
final class DraftedCall extends ProfileCall {
    private final CallDraft draft;
    private final Sender sender;
    private RequestPlan plan = RequestPlan.BASE;
    private List<ResponseSet> directions = List.of();
    private boolean isResent;

    /** Who sends it. */
    @FunctionalInterface
    interface Sender {
        /**
         * Sends a call as its plan has it.
         *
         * @param credits what it asks for
         */
        void send(DraftedCall call, int credits);
    }

    /**
     * @param draft the message, and what belongs to it
     * @param resultTargets native memory for bulk results
     */
    DraftedCall(
            int xid,
            CallShape shape,
            CallDraft draft,
            List<MemorySegment> resultTargets,
            ExposedMemory exposed,
            Sender sender) {
        super(xid, shape, resultTargets, List.of(), exposed);
        this.draft = draft;
        this.sender = sender;
    }

    CallDraft draft() {
        return draft;
    }

    /** How it travels. */
    RequestPlan plan() {
        return plan;
    }

    void plan(RequestPlan chosen) {
        plan = chosen;
    }

    @Override
    protected int credits() {
        return plan.count();
    }

    @Override
    protected void send(int credits) {
        sender.send(this, credits);
    }

    /** Where it wants its bulk results. */
    List<ResponseSet> directions() {
        return directions;
    }

    void directions(List<ResponseSet> asked) {
        directions = asked;
    }

    /** Whether it went out a second time, after a complaint. */
    boolean isResent() {
        return isResent;
    }

    /** From now on it travels as the base has it, for the second time. */
    void simplify() {
        plan = RequestPlan.BASE;
        isResent = true;
    }

    @Override
    public boolean isBeingSent() {
        return draft.isBeingSent();
    }

    /**
     * Sends that the longest response takes; 0 if that are more than there may be.
     *
     * @param placed whether its bulk results lie in receives of this side, or in the payload
     */
    int responsePlan(BufferLayout own, boolean placed, int max) {
        long stream = draft.expected().stream();
        return placed
                ? RequestMessage.responseSends(
                        own,
                        stream,
                        resultTargets().stream()
                                .map(MemorySegment::byteSize)
                                .filter(length -> length > 0)
                                .toList(),
                        max)
                : RequestMessage.responseSends(
                        own, stream + draft.expected().bulk(), List.of(), max);
    }

    @Override
    public void release() {
        super.release();
        draft.release();
    }
}
