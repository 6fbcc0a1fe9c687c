package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Eligibility;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Pairing;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The plan of a call: its inline data and its offered chunks (RFC 8166, Sections 3.5 and 4.3). Pure
 * arithmetic.
 *
 * @param reducedItems how many bulk arguments, from the first on, move as Read chunks; empty ones
 *     have no chunk
 * @param longCall whether the whole message moves in a Position-Zero Read chunk
 * @param offersWriteChunks whether every result target is offered as a Write chunk
 * @param replyChunkBytes the length of the Reply chunk to offer; 0 for none
 * @param unofferedBytes the longest reply, in bytes, if it exceeds the inline threshold and no
 *     Reply chunk is offered; 0 otherwise
 * @param headerBytes the length of the transport header in bytes
 * @param messageBytes the length of the RPC message without its reduced items, in bytes
 * @param pairing the rule that pairs results with Write chunks
 */
public record CallPlan(
        int reducedItems,
        boolean longCall,
        boolean offersWriteChunks,
        long replyChunkBytes,
        long unofferedBytes,
        int headerBytes,
        long messageBytes,
        Pairing pairing) {
    /** The chunks that a call may offer for its reply. */
    public enum ReplyOffer {
        /** All chunks that it needs, as RFC 8166 says. */
        ALL,
        /** Only Write chunks. */
        WRITE_CHUNKS,
        /** No chunks. */
        NOTHING
    }

    private static final int READ_ENTRY_BYTES = 24;
    private static final int WRITE_CHUNK_BYTES = 8;
    private static final int REPLY_CHUNK_BYTES = 4;

    /**
     * The least room for results in bytes, because PROG_MISMATCH carries two words in their place.
     */
    public static final int RESULTS_MIN = 8;

    /**
     * Returns whether a call and its reply both fit inline. Such a call needs no {@link #plan}. All
     * of its arguments must be in the stream.
     *
     * @param replyVerifierMax the longest verifier body of the reply, in bytes
     * @param streamBytes the length of the message in bytes
     */
    static boolean isShort(
            long resultsMax,
            int replyVerifierMax,
            long streamBytes,
            ConnectionParameters parameters) {
        int empty = parameters.emptyHeaderBytes();
        long reply =
                empty
                        + ReplyHeader.ACCEPTED_BYTES
                        + replyVerifierMax
                        + Math.max(resultsMax, RESULTS_MIN);
        return reply <= parameters.replyThreshold()
                && empty + streamBytes <= parameters.callThreshold();
    }

    /**
     * Plans a call.
     *
     * @param replyVerifierMax the longest verifier body of the reply, in bytes (RFC 8166, Section
     *     8.2.2.2)
     * @param streamBytes the length of the message without its bulk arguments, in bytes
     * @param items the bulk arguments
     * @param offer the chunks that the call may offer for its reply
     * @throws IllegalArgumentException if the chunk lists alone exceed the inline threshold, or the
     *     call needs chunks that the connection does not allow
     */
    public static CallPlan plan(
            RpcCall call,
            int replyVerifierMax,
            Eligibility eligible,
            long streamBytes,
            List<BulkItem> items,
            ConnectionParameters parameters,
            long segmentMax,
            ReplyOffer offer) {
        var targets = call.resultTargets();
        long resultsMax = Math.max(call.resultsMax(), RESULTS_MIN);
        // RFC 8166-8.2.2.2-1.
        long replyHeader = ReplyHeader.ACCEPTED_BYTES + replyVerifierMax;
        long bulkResults = paddedBytes(targets);
        long writeListBytes = writeListBytes(targets, segmentMax);
        long inlineReply = parameters.emptyHeaderBytes() + replyHeader + resultsMax;
        // RFC 5666-3.4-4, 5666-3.4-6, 8166-4.3.2-1, 8166-4.3.2.3-1, 8267-3-1, 8267-6.4.1-1.
        boolean offersWriteChunks =
                offer != ReplyOffer.NOTHING
                        && inlineReply + bulkResults > parameters.replyThreshold()
                        && !targets.isEmpty()
                        && targets.size() <= eligible.results()
                        && mayBePaired(targets, eligible.pairing());
        if (!offersWriteChunks) {
            inlineReply += bulkResults;
            resultsMax += bulkResults;
            writeListBytes = 0;
        }
        // A Reply chunk is as long as the longest reply, and is offered only if that does not fit
        // (RFC 8166-4.3.3-1, 8166-3.5.3-4, 8166-6.2-1, 5666-5.2-1).
        long longReply =
                inlineReply + writeListBytes > parameters.replyThreshold()
                        ? replyHeader + XdrWriter.roundUp(resultsMax)
                        : 0;
        long replyChunk = offer == ReplyOffer.ALL ? longReply : 0;
        long offers = parameters.emptyHeaderBytes() + writeListBytes;
        if (replyChunk > 0) {
            offers += REPLY_CHUNK_BYTES + segments(replyChunk, segmentMax);
        }
        long whole = wholeBytes(streamBytes, items);
        long header = offers;
        long message = whole;
        int reduced = 0;
        // Items are reduced only as far as needed (RFC 8166-3.5.2-1), and only if the binding
        // declares them eligible (RFC 8166-3.4.2-1, 8166-4.3.1-1).
        while (header + message > parameters.callThreshold()
                && reduced < Math.min(eligible.arguments(), items.size())) {
            var item = items.get(reduced++);
            message -= item.paddedLength();
            header += entries(item.data().byteSize(), segmentMax);
        }
        // A long call may have any length (RFC 8166-3.5.3-1, 8166-6.1-1, 5666-4-1, 5666-6.2-4).
        boolean longCall = header + message > parameters.callThreshold();
        if (longCall) {
            // A Linux server ignores data chunks beside a Position-Zero chunk (svc_rdma_pcl.c).
            reduced = 0;
            message = whole;
            header = offers + entries(message, segmentMax);
        }
        requireCarried(parameters, header, longCall || reduced > 0);
        return new CallPlan(
                reduced,
                longCall,
                offersWriteChunks,
                replyChunk,
                longReply - replyChunk,
                (int) header,
                message,
                eligible.pairing());
    }

    /**
     * Returns whether each result fits each chunk that it may get. With sliding pairing, a result
     * may use the chunk of an earlier one, so no target may be longer than an earlier one (RFC
     * 8166-4.3.2.2-2).
     */
    private static boolean mayBePaired(List<MemorySegment> targets, Pairing pairing) {
        for (int i = 1; i < targets.size() && pairing == Pairing.SLIDING; i++) {
            if (targets.get(i - 1).byteSize() < targets.get(i).byteSize()) {
                return false;
            }
        }
        return true;
    }

    /** Returns the XDR length of results in bytes, with padding. */
    public static long paddedBytes(List<MemorySegment> targets) {
        long bytes = 0;
        for (var target : targets) {
            bytes += XdrWriter.roundUp(target.byteSize());
        }
        return bytes;
    }

    private static long writeListBytes(List<MemorySegment> targets, long segmentMax) {
        long bytes = 0;
        for (var target : targets) {
            bytes += WRITE_CHUNK_BYTES + segments(target.byteSize(), segmentMax);
        }
        return bytes;
    }

    private static void requireCarried(
            ConnectionParameters parameters, long header, boolean isRead) {
        // A message that is too long for the peer's receive ends the connection (RFC 8167-5.3-3).
        int empty = parameters.emptyHeaderBytes();
        if (!parameters.chunks() && header > empty) {
            throw new IllegalArgumentException(
                    "without chunks a call has at most "
                            + parameters.callMax()
                            + " bytes and its reply "
                            + (parameters.replyThreshold() - empty)
                            + ": split the call");
        }
        // RFC 5666-6.2-7.
        if (isRead && parameters.readsMax() == 0) {
            throw new IllegalArgumentException(
                    "the server answers no RDMA Read, so a call has at most "
                            + parameters.callThreshold()
                            + " bytes with its header");
        }
        if (header > parameters.callThreshold()) {
            throw new IllegalArgumentException(
                    "the chunk lists of the call exceed the inline threshold of "
                            + parameters.callThreshold()
                            + " bytes: pass fewer or larger buffers");
        }
    }

    private static long wholeBytes(long streamBytes, List<BulkItem> items) {
        long whole = streamBytes;
        for (var item : items) {
            whole += item.paddedLength();
        }
        return whole;
    }

    private static long entries(long length, long segmentMax) {
        return READ_ENTRY_BYTES * Math.ceilDiv(length, segmentMax);
    }

    private static long segments(long length, long segmentMax) {
        return Segment.BYTES * Math.max(1, Math.ceilDiv(length, segmentMax));
    }
}
