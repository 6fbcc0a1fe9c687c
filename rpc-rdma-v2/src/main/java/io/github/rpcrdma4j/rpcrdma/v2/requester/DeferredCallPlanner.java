package io.github.rpcrdma4j.rpcrdma.v2.requester;

import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Eligibility;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.rpcrdma.requester.CallPlan;
import io.github.rpcrdma4j.rpcrdma.requester.CallPlan.ReplyOffer;
import io.github.rpcrdma4j.rpcrdma.requester.CallPlanner;
import io.github.rpcrdma4j.rpcrdma.requester.CallPlanner.EncodedCall;
import io.github.rpcrdma4j.rpcrdma.requester.ChunkedCall;
import io.github.rpcrdma4j.rpcrdma.v2.options.FetchedReplies.ReplyChunks;
import io.github.rpcrdma4j.rpcrdma.wire.PlainMessage;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * Lays out what of a call of version 2 is known before it is sent: only then the credits are.
 *
 * @param replyChunks which calls offer a Reply chunk
 */
record DeferredCallPlanner(ReplyChunks replyChunks, DeferredCall.Sender sender)
        implements CallPlanner {
    @Override
    public PlainMessage.Which plain() {
        return PlainMessage.Which.NONE;
    }

    @Override
    public ChunkedCall lay(EncodedCall encoded) {
        var shape =
                encoded.shape(
                        leavesOut(encoded.eligible()) ? ReplyOffer.WRITE_CHUNKS : ReplyOffer.ALL);
        var call = encoded.call();
        long replyHeader = ReplyHeader.ACCEPTED_BYTES + encoded.replyVerifierMax();
        var expected =
                new DeferredCall.Expected(
                        replyHeader,
                        replyHeader
                                + XdrWriter.roundUp(
                                        Math.max(call.resultsMax(), CallPlan.RESULTS_MIN)),
                        CallPlan.paddedBytes(call.resultTargets()));
        return new DeferredCall(encoded, shape, expected, sender);
    }

    /** Whether a long reply is to be fetched, so that a short one costs no memory. */
    private boolean leavesOut(Eligibility eligible) {
        return switch (replyChunks) {
            case ALWAYS -> false;
            case BY_BINDING -> eligible.unknownLength();
            case NEVER -> true;
        };
    }
}
