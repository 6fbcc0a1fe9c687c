package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.rpcrdma.binding.UpperLayerBinding.Eligibility;
import io.github.rpcrdma4j.rpcrdma.connection.Terms;
import io.github.rpcrdma4j.rpcrdma.requester.CallShape.ReplyOffer;

/**
 * A call whose RPC message is written, and that is about to be laid out.
 *
 * @param call what it was made of
 * @param replyVerifierMax the longest verifier body of the reply, in bytes
 * @param memory with the whole RPC message; of the call that is laid out
 * @param eligible what of it may be reduced
 */
public record EncodedCall(
        int xid,
        RpcCall call,
        int replyVerifierMax,
        CallMemory memory,
        Eligibility eligible,
        Terms terms) {
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
                memory.message().mark(),
                memory.message().bulkItems(),
                terms,
                memory.exposed().segmentMax(),
                offer);
    }
}
