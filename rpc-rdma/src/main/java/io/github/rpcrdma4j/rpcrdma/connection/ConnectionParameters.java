package io.github.rpcrdma4j.rpcrdma.connection;

import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.rpcrdma.wire.PrivateData;
import io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.QueuePairOptions;

/**
 * The parameters that both sides of a connection agreed on. They do so at set-up, and later if the
 * profile allows it. The parameters do not apply to the next connection (RFC 8797-4-1, 8797-4-2).
 *
 * @param callThreshold the longest Send that carries a call, header included, in bytes
 * @param replyThreshold the longest Send that carries a reply, likewise
 * @param remoteInvalidation whether replies may be sent with invalidation, because both sides
 *     support it
 * @param chunks whether calls and replies may have chunks
 * @param readsMax how many RDMA Reads the peer answers at a time; 0 if none
 * @param emptyHeaderBytes the length of a transport header without chunks, in bytes
 */
public record ConnectionParameters(
        int callThreshold,
        int replyThreshold,
        boolean remoteInvalidation,
        boolean chunks,
        int readsMax,
        int emptyHeaderBytes) {
    /** How many RDMA Reads each side may have outstanding at a time, and how many it answers. */
    public static final int READS = 32;

    /**
     * The longest reverse message: a Linux client has one page for the call and one for its reply.
     */
    private static final int REVERSE_BYTES_MAX = 4096;

    /**
     * Creates the parameters of RFC 8166 for a direction whose calls and replies may have chunks.
     */
    public ConnectionParameters(int callThreshold, int replyThreshold, boolean remoteInvalidation) {
        this(
                callThreshold,
                replyThreshold,
                remoteInvalidation,
                true,
                Integer.MAX_VALUE,
                Version1HeaderCodec.EMPTY_LISTS_BYTES);
    }

    /**
     * Returns the options of the queue pair of a connection.
     *
     * @param receives the most posted receives
     */
    public static QueuePairOptions queuePair(
            ProtectionDomain domain, CompletionQueue completionQueue, int receives) {
        return new QueuePairOptions(
                domain,
                completionQueue,
                Endpoint.SEND_QUEUE_SIZE,
                receives,
                READS,
                READS,
                Endpoint.GATHER_MAX);
    }

    /**
     * Returns the parameters of the other direction, which has no chunks (RFC 8167-5.3-1,
     * 8167-7-1). Its calls use the receives for replies of this direction, and its replies those
     * for calls (RFC 8167-4.2-1).
     */
    public ConnectionParameters reversed() {
        return new ConnectionParameters(
                Math.min(replyThreshold, REVERSE_BYTES_MAX),
                Math.min(callThreshold, REVERSE_BYTES_MAX),
                false,
                false,
                0,
                emptyHeaderBytes);
    }

    /**
     * Returns the longest results that fit an inline reply, in bytes, even if the reply has the
     * longest verifier.
     */
    public long inlineResultsMax() {
        int headers = emptyHeaderBytes + ReplyHeader.ACCEPTED_BYTES + RawAuth.BODY_MAX;
        return Math.max(0, replyThreshold - headers);
    }

    /** Returns the most bytes of a message that fits inline in both directions. */
    public long inlineBothMax() {
        return Math.min(callThreshold, replyThreshold) - emptyHeaderBytes;
    }

    /** Returns the length of the longest call message, in bytes. */
    public long callMax() {
        return chunks ? Long.MAX_VALUE : callThreshold - emptyHeaderBytes;
    }

    /** Returns these parameters with other inline thresholds, in bytes. */
    public ConnectionParameters withThresholds(int calls, int replies) {
        return new ConnectionParameters(
                calls, replies, remoteInvalidation, chunks, readsMax, emptyHeaderBytes);
    }

    /** Returns these parameters with remote invalidation by replies allowed or forbidden. */
    public ConnectionParameters withRemoteInvalidation(boolean changed) {
        return new ConnectionParameters(
                callThreshold, replyThreshold, changed, chunks, readsMax, emptyHeaderBytes);
    }

    /**
     * Returns these parameters with another number of RDMA Reads that the peer answers at a time.
     */
    public ConnectionParameters withReadsMax(int changed) {
        return new ConnectionParameters(
                callThreshold,
                replyThreshold,
                remoteInvalidation,
                chunks,
                changed,
                emptyHeaderBytes);
    }

    /**
     * Returns these parameters with another length of a transport header without chunks, in bytes.
     */
    public ConnectionParameters withEmptyHeaderBytes(int changed) {
        return new ConnectionParameters(
                callThreshold, replyThreshold, remoteInvalidation, chunks, readsMax, changed);
    }

    /**
     * Returns the parameters for the active side.
     *
     * @param own the private data that this side sent
     * @param peer the private data of the peer: any bytes, or none (RFC 8797-1-1)
     */
    public static ConnectionParameters ofRequester(PrivateData own, byte[] peer) {
        return of(own, PrivateData.find(peer).orElse(PrivateData.ABSENT));
    }

    /** Returns the parameters for the passive side. */
    public static ConnectionParameters ofResponder(PrivateData own, byte[] peer) {
        return of(PrivateData.find(peer).orElse(PrivateData.ABSENT), own);
    }

    private static ConnectionParameters of(PrivateData requester, PrivateData responder) {
        // RFC 8166-3.3.2-1, 8797-4.2-3, 8797-4.2-4.
        return new ConnectionParameters(
                Math.min(requester.sendSize(), responder.receiveSize()),
                Math.min(responder.sendSize(), requester.receiveSize()),
                // RFC 8797-4.1-3.
                requester.remoteInvalidation() && responder.remoteInvalidation());
    }
}
