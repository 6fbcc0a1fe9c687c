package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Eligibility;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.requester.CallPlan.ReplyOffer;
import io.github.rpcrdma4j.rpcrdma.wire.PlainMessage;

/** Plans calls on the calling thread, before it takes a lock or opens memory. Thread-safe. */
public interface CallPlanner {
    /** The planner of RFC 8166 (Sections 3.5 and 4.3). */
    CallPlanner RFC_8166 =
            new CallPlanner() {
                @Override
                public PlainMessage.Rule plain() {
                    return PlainMessage.Rule.WITH_BULK_DATA;
                }

                @Override
                public ChunkedCall plan(EncodedCall encoded) {
                    return new ChunkedCall(encoded, encoded.plan(ReplyOffer.ALL));
                }
            };

    /**
     * A call with a written RPC message, about to be planned.
     *
     * @param call the call of the user
     * @param replyVerifierMax the longest verifier body of the reply, in bytes
     * @param memory the memory with the whole RPC message; the planned call takes it over
     * @param eligible the items that may be reduced
     */
    record EncodedCall(
            int xid,
            RpcCall call,
            int replyVerifierMax,
            CallMemory memory,
            Eligibility eligible,
            ConnectionParameters parameters) {
        /**
         * Returns the plan by RFC 8166 for the chunks that the call may offer for its reply.
         *
         * @throws IllegalArgumentException if no plan fits the connection
         */
        public CallPlan plan(ReplyOffer offer) {
            return CallPlan.plan(
                    call,
                    replyVerifierMax,
                    eligible,
                    memory.message().reducedLength(),
                    memory.message().bulkItems(),
                    parameters,
                    memory.exposed().segmentMax(),
                    offer);
        }
    }

    /** Returns which calls without chunks are short calls, which need no plan. */
    PlainMessage.Rule plain();

    /**
     * Plans a call.
     *
     * @throws RpcException if the peer announced that it accepts no calls
     * @throws IllegalArgumentException if the call cannot be planned
     */
    ChunkedCall plan(EncodedCall encoded) throws RpcException;
}
