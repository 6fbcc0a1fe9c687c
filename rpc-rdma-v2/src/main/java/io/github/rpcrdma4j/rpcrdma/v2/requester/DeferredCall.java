package io.github.rpcrdma4j.rpcrdma.v2.requester;

import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.requester.CallPlan;
import io.github.rpcrdma4j.rpcrdma.requester.CallPlanner.EncodedCall;
import io.github.rpcrdma4j.rpcrdma.requester.ChunkedCall;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.BufferLayout;
import io.github.rpcrdma4j.rpcrdma.v2.wire.ResponseSet;
import io.github.rpcrdma4j.xdr.PayloadStream;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.List;

/**
 * A call whose plan is made when it is sent. Guarded by the lock of the connection.
 *
 * <p>Tests: {@code RequestsByHandTest}, {@code Version2ByHandTest}.
 */
final class DeferredCall extends ChunkedCall {
    private final int eligible;
    private final Expected expected;
    private final Sender sender;
    private final MemorySegment longMemory;
    private RequestPlan plan = RequestPlan.BASE;
    private List<ResponseSet> directions = List.of();
    private boolean isResent;

    /**
     * The length that a reply may have, in bytes.
     *
     * @param min the length of the shortest reply
     * @param stream the length of the longest reply without its bulk results
     * @param bulk the length of these results, with padding
     */
    record Expected(long min, long stream, long bulk) {}

    /** The sender of the call. */
    @FunctionalInterface
    interface Sender {
        /**
         * Sends a call according to its plan.
         *
         * @param credits the credits that the call requests
         */
        void send(DeferredCall call, int credits);
    }

    /**
     * @param expected how long its reply may get
     */
    DeferredCall(EncodedCall encoded, CallPlan plan, Expected expected, Sender sender) {
        super(
                encoded,
                plan,
                encoded.memory().separateItems(encoded.memory().message().bulkItems().size()));
        this.eligible = encoded.eligible().arguments();
        this.expected = expected;
        this.sender = sender;
        // Leased before the call is sent, so that a lack of memory ends only this call.
        this.longMemory =
                plan.longCall() ? encoded.memory().lease(plan.messageBytes()) : MemorySegment.NULL;
    }

    /** Returns how long its reply may get. */
    Expected expected() {
        return expected;
    }

    /** Returns the bulk arguments that can be moved: those that are eligible and not empty. */
    BitSet movable() {
        var movable = new BitSet();
        for (int i = 0; i < Math.min(eligible, items().size()); i++) {
            movable.set(i, items().get(i).data().byteSize() > 0);
        }
        return movable;
    }

    /** Returns the length of the message with all of its arguments, in bytes. */
    long streamLength() {
        return without(new BitSet()).length();
    }

    /** Returns the message without the arguments that are moved. */
    PayloadStream without(BitSet moved) {
        return PayloadStream.of(memory().message().reducedStream(), items(), moved);
    }

    /** Returns the memory for the whole message of a long call; empty for others. */
    MemorySegment longMemory() {
        return longMemory;
    }

    /** Returns how the call travels. */
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
    protected void send(Endpoint endpoint, Counters counters, int credits) {
        sender.send(this, credits);
    }

    /** Returns where the call wants its bulk results. */
    List<ResponseSet> directions() {
        return directions;
    }

    void directions(List<ResponseSet> asked) {
        directions = asked;
    }

    /** Returns whether the call was sent a second time, after a complaint. */
    boolean isResent() {
        return isResent;
    }

    /** Makes the call travel as without extensions, for its second time. */
    void simplify() {
        plan = RequestPlan.BASE;
        isResent = true;
    }

    @Override
    public boolean isBeingSent() {
        return memory().isPosted();
    }

    /**
     * Returns the number of Sends that the longest response takes; 0 if it takes more than allowed.
     *
     * @param own how the receives of this side are built
     * @param placed whether its bulk results lie in receives of this side, or in the payload
     * @param max the most Sends of a response
     */
    int responsePlan(BufferLayout own, boolean placed, int max) {
        long stream = expected.stream();
        return placed
                ? RequestMessage.responseSends(
                        own,
                        stream,
                        resultTargets().stream()
                                .map(MemorySegment::byteSize)
                                .filter(length -> length > 0)
                                .toList(),
                        max)
                : RequestMessage.responseSends(own, stream + expected.bulk(), List.of(), max);
    }
}
