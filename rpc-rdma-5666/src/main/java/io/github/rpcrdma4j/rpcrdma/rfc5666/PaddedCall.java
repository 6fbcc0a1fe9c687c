package io.github.rpcrdma4j.rpcrdma.rfc5666;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.requester.CallShape;
import io.github.rpcrdma4j.rpcrdma.requester.ChunkOffer;
import io.github.rpcrdma4j.rpcrdma.requester.EncodedCall;
import io.github.rpcrdma4j.rpcrdma.requester.ProfileCall;
import io.github.rpcrdma4j.rpcrdma.requester.StandIns;
import io.github.rpcrdma4j.rpcrdma.rfc5666.Rfc5666Header.PaddedMsg;
import java.util.List;

/** A call as an RDMA_MSGP (RFC 5666, Section 3.9). */
final class PaddedCall extends ProfileCall {
    private final Rfc5666Layout.Sending sending;
    private final Alignment alignment;
    private final long payloadBytes;

    /** The padded message behind room for its header; null once it was sent, or released. */
    private SegmentPool.Lease message;

    /**
     * @param alignment by which the payload was padded
     */
    PaddedCall(
            EncodedCall encoded,
            CallShape shape,
            Alignment alignment,
            AlignedPayload payload,
            StandIns standIns,
            Rfc5666Layout.Sending sending) {
        super(
                encoded.xid(),
                shape,
                shape.offersWriteChunks()
                        ? standIns.writable(encoded.call().resultTargets())
                        : List.of(),
                standIns.leases(),
                encoded.exposed());
        this.sending = sending;
        this.alignment = alignment;
        this.payloadBytes = payload.length();
        this.message = encoded.memory().pool().lease(alignment.base() + payload.length());
        payload.copyTo(message.segment().asSlice(alignment.base()));
    }

    @Override
    protected int credits() {
        return 1;
    }

    @Override
    protected void send(int credits) {
        var statistics = sending.statistics();
        var endpoint = sending.endpoint();
        var buffer = message;
        message = null;
        var chunks = new ChunkOffer(endpoint.memory().pool(), statistics).of(this, null, List.of());
        var header =
                new PaddedMsg(xid(), credits, alignment.align(), alignment.threshold(), chunks);
        if (header.encode(buffer.segment()) != alignment.base()) {
            throw new AssertionError("a transport header is not as long as planned");
        }
        statistics.count(Rfc5666Counter.PADDED_MESSAGES);
        statistics.count(Counter.INLINE_CALL_OCTETS, payloadBytes);
        endpoint.post(
                List.of(endpoint.memory().send(buffer.slab().segment(), buffer.length())),
                _ -> buffer.close());
    }

    @Override
    public void release() {
        if (message != null) {
            message.close();
            message = null;
        }
        super.release();
    }
}
