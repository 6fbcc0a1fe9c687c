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
 * Prepares a version 2 call as far as possible before it is sent. The rest has to wait, because the
 * available credits are known only then.
 *
 * @param replyChunks which calls offer a Reply chunk
 * @param sender sends the calls
 */
record DeferredCallPlanner(ReplyChunks replyChunks, DeferredCall.Sender sender)
        implements CallPlanner {
    @Override
    public PlainMessage.Rule plain() {
        return PlainMessage.Rule.NONE;
    }

    @Override
    public ChunkedCall plan(EncodedCall encoded) {
        var plan =
                encoded.plan(
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
        return new DeferredCall(encoded, plan, expected, sender);
    }

    /**
     * Returns whether a long reply is to be fetched, so that a short one needs no registered
     * memory. A call with integrity or privacy has no eligible items and no unknown length, so by
     * default its reply has memory (RPR-5.2.2-1).
     */
    private boolean leavesOut(Eligibility eligible) {
        return switch (replyChunks) {
            case ALWAYS -> false;
            case BY_BINDING -> eligible.unknownLength();
            case NEVER -> true;
        };
    }
}
