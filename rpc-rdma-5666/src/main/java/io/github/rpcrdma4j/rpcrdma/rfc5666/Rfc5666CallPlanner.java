package io.github.rpcrdma4j.rpcrdma.rfc5666;

import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.requester.CallPlan;
import io.github.rpcrdma4j.rpcrdma.requester.CallPlan.ReplyOffer;
import io.github.rpcrdma4j.rpcrdma.requester.CallPlanner;
import io.github.rpcrdma4j.rpcrdma.requester.CallPlanner.EncodedCall;
import io.github.rpcrdma4j.rpcrdma.requester.ChunkedCall;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.AlignedPayload;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Alignment;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Rfc5666Header.PaddedMsg;
import io.github.rpcrdma4j.rpcrdma.wire.PlainMessage;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/**
 * Plans calls: results are fetched where a binding allows it, and long arguments are aligned to the
 * server's preference.
 *
 * @param alignment the alignment that the server prefers; its base is not used
 */
record Rfc5666CallPlanner(Alignment alignment) implements CallPlanner {
    @Override
    public PlainMessage.Rule plain() {
        return PlainMessage.Rule.WITHOUT_BULK_DATA;
    }

    @Override
    public ChunkedCall plan(EncodedCall encoded) {
        // RFC 5666-3.4-4, 5666-6.2-7.
        boolean fetches =
                encoded.eligible().fetchedReplies() && encoded.parameters().readsMax() > 0;
        var plan = encoded.plan(fetches ? ReplyOffer.NOTHING : ReplyOffer.ALL);
        return padded(encoded, plan).orElseGet(() -> new ChunkedCall(encoded, plan));
    }

    /** Returns the call as an RDMA_MSGP, if padding applies to it and the result fits one Send. */
    private Optional<ChunkedCall> padded(EncodedCall encoded, CallPlan plan) {
        if (alignment.equals(Alignment.NONE) || plan.longCall() || plan.reducedItems() > 0) {
            return Optional.empty();
        }
        // The header of an RDMA_MSGP has two more words.
        var padding =
                new Alignment(
                        plan.headerBytes() + 2 * Integer.BYTES,
                        alignment.align(),
                        alignment.threshold());
        var message = encoded.memory().message();
        return AlignedPayload.of(padding, message.reducedStream(), message.bulkItems())
                .filter(
                        payload ->
                                padding.base() + payload.length()
                                        <= encoded.parameters().callThreshold())
                .map(payload -> new PaddedCall(encoded, plan, padding, payload));
    }

    /** A call as an RDMA_MSGP (RFC 5666, Section 3.9). */
    private static final class PaddedCall extends ChunkedCall {
        private final Alignment alignment;

        /** The padded message, after room for its header. */
        private final MemorySegment padded;

        /**
         * @param alignment the alignment by which the payload was padded
         */
        PaddedCall(
                EncodedCall encoded, CallPlan plan, Alignment alignment, AlignedPayload payload) {
            super(encoded, plan, List.of());
            this.alignment = alignment;
            this.padded = memory().lease(alignment.base() + payload.length());
            payload.copyTo(padded.asSlice(alignment.base()));
        }

        @Override
        protected void send(Endpoint endpoint, Counters counters, int credits) {
            var chunks = offer(MemorySegment.NULL, List.of(), counters);
            var header =
                    new PaddedMsg(xid(), credits, alignment.align(), alignment.threshold(), chunks);
            if (header.encode(padded) != alignment.base()) {
                throw new AssertionError("a transport header is not as long as planned");
            }
            long length = padded.byteSize();
            counters.count(Rfc5666.PADDED_MESSAGES);
            counters.count(Counter.INLINE_CALL_BYTES, length - alignment.base());
            endpoint.post(List.of(endpoint.memory().send(padded, 0, length)), memory().posting());
        }
    }
}
