package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Eligibility;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.requester.CallPlan.ReplyOffer;
import io.github.rpcrdma4j.rpcrdma.wire.PlainMessage;

/**
 * Lays out calls on the threads that make them, before anything is locked or opened. Thread-safe.
 */
public interface CallPlanner {
    /** As RFC 8166 has them (RFC 8166, Sections 3.5 and 4.3). */
    CallPlanner RFC_8166 =
            new CallPlanner() {
                @Override
                public PlainMessage.Which plain() {
                    return PlainMessage.Which.WITH_BULK_DATA;
                }

                @Override
                public ChunkedCall lay(EncodedCall encoded) {
                    return new ChunkedCall(encoded, encoded.shape(ReplyOffer.ALL));
                }
            };

    /**
     * A call whose RPC message is written, and that is about to be laid out.
     *
     * @param call what it was made of
     * @param replyVerifierMax the longest verifier body of the reply, in bytes
     * @param memory with the whole RPC message; of the call that is laid out
     * @param eligible what of it may be reduced
     */
    record EncodedCall(
            int xid,
            RpcCall call,
            int replyVerifierMax,
            CallMemory memory,
            Eligibility eligible,
            ConnectionParameters parameters) {
        /**
         * How it travels by RFC 8166, if it may offer that for its reply.
         *
         * @throws IllegalArgumentException if it cannot travel
         */
        public CallPlan shape(ReplyOffer offer) {
            return CallPlan.plan(
                    call,
                    replyVerifierMax,
                    eligible,
                    memory.message().mark(),
                    memory.message().bulkItems(),
                    parameters,
                    memory.exposed().segmentMax(),
                    offer);
        }
    }

    /** Which calls without chunks are short calls, and are not laid out. */
    PlainMessage.Which plain();

    /**
     * Lays out a call.
     *
     * @throws RpcException if the peer says that it takes no calls
     * @throws IllegalArgumentException if the call cannot be laid out
     */
    ChunkedCall lay(EncodedCall encoded) throws RpcException;
}
