package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.rpcrdma.binding.UpperLayerBinding.Eligibility;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionMemory;
import io.github.rpcrdma4j.rpcrdma.connection.ExposedMemory;
import io.github.rpcrdma4j.rpcrdma.connection.Terms;
import io.github.rpcrdma4j.rpcrdma.requester.CallShape.ReplyOffer;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * A call whose RPC message is written, and that is about to be laid out.
 *
 * @param call what it was made of
 * @param replyVerifierMax the longest verifier body of the reply, in bytes
 * @param message the whole RPC message; not needed any more afterwards
 * @param eligible what of it may be reduced
 * @param memory of the connection
 * @param segmentMax the longest segment to offer, in bytes
 */
public record EncodedCall(
        int xid,
        RpcCall call,
        int replyVerifierMax,
        XdrWriter message,
        Eligibility eligible,
        Terms terms,
        ConnectionMemory memory,
        long segmentMax) {
    /**
     * How it travels by RFC 8166, if it may offer that for its reply.
     *
     * @throws IllegalArgumentException if it cannot travel
     */
    public CallShape shape(ReplyOffer offer) {
        return CallShape.plan(
                call,
                replyVerifierMax,
                eligible,
                message.reducedStream().byteSize(),
                message.bulkItems(),
                terms,
                segmentMax,
                offer);
    }

    /** What it will open to the responder. */
    public ExposedMemory exposed() {
        return new ExposedMemory(memory, segmentMax);
    }
}
