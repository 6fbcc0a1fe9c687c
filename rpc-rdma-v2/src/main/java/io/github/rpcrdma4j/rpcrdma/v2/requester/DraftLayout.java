package io.github.rpcrdma4j.rpcrdma.v2.requester;

import io.github.rpcrdma4j.oncrpc.ReplyHeader;
import io.github.rpcrdma4j.rpcrdma.binding.UpperLayerBinding.Eligibility;
import io.github.rpcrdma4j.rpcrdma.requester.CallLayout;
import io.github.rpcrdma4j.rpcrdma.requester.CallShape;
import io.github.rpcrdma4j.rpcrdma.requester.CallShape.ReplyOffer;
import io.github.rpcrdma4j.rpcrdma.requester.EncodedCall;
import io.github.rpcrdma4j.rpcrdma.requester.OfferingCall;
import io.github.rpcrdma4j.rpcrdma.requester.StandIns;
import io.github.rpcrdma4j.rpcrdma.v2.options.FetchedReplies.ReplyChunks;
import io.github.rpcrdma4j.rpcrdma.wire.PlainMessages;
import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Lays out what of a call of version 2 is known before it is sent: only then the credits are.
 *
 * @param replyChunks which calls offer a Reply chunk
 */
record DraftLayout(ReplyChunks replyChunks, DraftedCall.Sender sender) implements CallLayout {
    @Override
    public PlainMessages plain() {
        return PlainMessages.NONE;
    }

    @Override
    public OfferingCall lay(EncodedCall encoded) {
        var pool = encoded.memory().pool();
        var shape =
                encoded.shape(
                        leavesOut(encoded.eligible()) ? ReplyOffer.WRITE_CHUNKS : ReplyOffer.ALL);
        var message = encoded.message();
        var stream = pool.lease(message.reducedStream().byteSize());
        stream.segment().copyFrom(message.reducedStream());
        var standIns = new StandIns(pool);
        var items = new ArrayList<BulkItem>();
        for (var item : message.bulkItems()) {
            items.add(
                    new BulkItem(
                            item.position(), standIns.readable(item.data()), item.ordinal()));
        }
        var call = encoded.call();
        List<MemorySegment> targets =
                shape.offersWriteChunks() ? standIns.writable(call.resultTargets()) : List.of();
        long replyHeader = ReplyHeader.ACCEPTED_BYTES + encoded.replyVerifierMax();
        var expected =
                new CallDraft.Expected(
                        replyHeader,
                        replyHeader
                                + XdrWriter.roundUp(
                                        Math.max(call.resultsMax(), CallShape.RESULTS_MIN)),
                        CallShape.paddedBytes(call.resultTargets()));
        var draft =
                new CallDraft(
                        stream, items, encoded.eligible().arguments(), expected, standIns.leases());
        return new DraftedCall(encoded.xid(), shape, draft, targets, encoded.exposed(), sender);
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
