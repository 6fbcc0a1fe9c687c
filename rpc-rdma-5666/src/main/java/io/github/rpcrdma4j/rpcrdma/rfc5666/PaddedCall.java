package io.github.rpcrdma4j.rpcrdma.rfc5666;

import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.metrics.Statistics;
import io.github.rpcrdma4j.rpcrdma.requester.CallShape;
import io.github.rpcrdma4j.rpcrdma.requester.ChunkedCall;
import io.github.rpcrdma4j.rpcrdma.requester.EncodedCall;
import io.github.rpcrdma4j.rpcrdma.rfc5666.Rfc5666Header.PaddedMsg;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A call as an RDMA_MSGP (RFC 5666, Section 3.9). */
final class PaddedCall extends ChunkedCall {
    private final Alignment alignment;

    /** The padded message behind room for its header. */
    private final MemorySegment padded;

    /**
     * @param alignment by which the payload was padded
     */
    PaddedCall(EncodedCall encoded, CallShape shape, Alignment alignment, AlignedPayload payload) {
        super(encoded, shape, List.of());
        this.alignment = alignment;
        this.padded = memory().lease(alignment.base() + payload.length());
        payload.copyTo(padded.asSlice(alignment.base()));
    }

    @Override
    protected void send(Endpoint endpoint, Statistics statistics, int credits) {
        var chunks = offer(MemorySegment.NULL, List.of(), statistics);
        var header =
                new PaddedMsg(xid(), credits, alignment.align(), alignment.threshold(), chunks);
        if (header.encode(padded) != alignment.base()) {
            throw new AssertionError("a transport header is not as long as planned");
        }
        long length = padded.byteSize();
        statistics.count(Rfc5666Counter.PADDED_MESSAGES);
        statistics.count(Counter.INLINE_CALL_OCTETS, length - alignment.base());
        endpoint.post(List.of(endpoint.memory().send(padded, 0, length)), memory().posting());
    }
}
