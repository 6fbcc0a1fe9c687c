package io.github.rpcrdma4j.rpcrdma.rfc5666;

import io.github.rpcrdma4j.rpcrdma.requester.CallLayout;
import io.github.rpcrdma4j.rpcrdma.requester.CallShape;
import io.github.rpcrdma4j.rpcrdma.requester.CallShape.ReplyOffer;
import io.github.rpcrdma4j.rpcrdma.requester.ChunkedCall;
import io.github.rpcrdma4j.rpcrdma.requester.EncodedCall;
import io.github.rpcrdma4j.rpcrdma.wire.PlainMessage;
import java.util.Optional;

/**
 * Lays out calls whose results are fetched where a binding lets them, and whose long arguments are
 * aligned as the server likes it.
 *
 * @param alignment what the server likes, whatever its base
 */
record Rfc5666Layout(Alignment alignment) implements CallLayout {
    @Override
    public PlainMessage.Which plain() {
        return PlainMessage.Which.WITHOUT_BULK_DATA;
    }

    @Override
    public ChunkedCall lay(EncodedCall encoded) {
        // RFC 5666-3.4-4, 5666-6.2-7.
        boolean fetches = encoded.eligible().replyReads() && encoded.terms().readsMax() > 0;
        var shape = encoded.shape(fetches ? ReplyOffer.NOTHING : ReplyOffer.ALL);
        return padded(encoded, shape).orElseGet(() -> new ChunkedCall(encoded, shape));
    }

    /** The call as an RDMA_MSGP, if it is one that gains by it and is not too long for that. */
    private Optional<ChunkedCall> padded(EncodedCall encoded, CallShape shape) {
        if (alignment.equals(Alignment.NONE) || shape.longCall() || shape.reducedItems() > 0) {
            return Optional.empty();
        }
        // With the two words of an RDMA_MSGP in the header.
        var padding =
                new Alignment(
                        shape.headerBytes() + 2 * Integer.BYTES,
                        alignment.align(),
                        alignment.threshold());
        var message = encoded.memory().message();
        return AlignedPayload.of(padding, message.reducedStream(), message.bulkItems())
                .filter(
                        payload ->
                                padding.base() + payload.length()
                                        <= encoded.terms().callThreshold())
                .map(payload -> new PaddedCall(encoded, shape, padding, payload));
    }
}
