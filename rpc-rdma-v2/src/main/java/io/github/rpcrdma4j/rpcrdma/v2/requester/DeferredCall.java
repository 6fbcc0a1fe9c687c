package io.github.rpcrdma4j.rpcrdma.v2.requester;

import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.requester.CallPlan;
import io.github.rpcrdma4j.rpcrdma.requester.CallPlanner.EncodedCall;
import io.github.rpcrdma4j.rpcrdma.requester.ChunkedCall;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.BufferLayout;
import io.github.rpcrdma4j.rpcrdma.v2.wire.ResponseSet;
import io.github.rpcrdma4j.xdr.PayloadPieces;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.List;

/** A call whose way is chosen when it is sent. Guarded by the lock of the connection. */
final class DeferredCall extends ChunkedCall {
    private final int eligible;
    private final Expected expected;
    private final Sender sender;
    private RequestPlan plan = RequestPlan.BASE;
    private List<ResponseSet> directions = List.of();
    private boolean isResent;

    /**
     * How long a reply may get, in bytes.
     *
     * @param min of the shortest
     * @param stream of the longest, without its bulk results
     * @param bulk of these, with padding
     */
    record Expected(long min, long stream, long bulk) {}

    /** Who sends it. */
    @FunctionalInterface
    interface Sender {
        /**
         * Sends a call as its plan has it.
         *
         * @param credits what it asks for
         */
        void send(DeferredCall call, int credits);
    }

    /**
     * @param expected how long its reply may get
     */
    DeferredCall(EncodedCall encoded, CallPlan shape, Expected expected, Sender sender) {
        super(
                encoded,
                shape,
                encoded.memory().apart(encoded.memory().message().bulkItems().size()));
        this.eligible = encoded.eligible().arguments();
        this.expected = expected;
        this.sender = sender;
    }

    /** How long its reply may get. */
    Expected expected() {
        return expected;
    }

    /** The bulk arguments that can be moved: those that may, and are not empty. */
    BitSet movable() {
        var movable = new BitSet();
        for (int i = 0; i < Math.min(eligible, items().size()); i++) {
            movable.set(i, items().get(i).data().byteSize() > 0);
        }
        return movable;
    }

    /** The message without the arguments that are moved. */
    PayloadPieces without(BitSet moved) {
        return PayloadPieces.of(memory().message().reducedStream(), items(), moved);
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
    protected void send(Endpoint endpoint, Counters counters, int credits) {
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
        return memory().isPosted();
    }

    /**
     * Sends that the longest response takes; 0 if that are more than there may be.
     *
     * @param placed whether its bulk results lie in receives of this side, or in the payload
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
