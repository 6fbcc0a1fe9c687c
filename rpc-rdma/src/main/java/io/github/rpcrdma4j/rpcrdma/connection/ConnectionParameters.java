package io.github.rpcrdma4j.rpcrdma.connection;

import io.github.rpcrdma4j.rpcrdma.wire.PrivateData;
import io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec;

/**
 * What the two sides of a connection have agreed on: when it was set up, or later, if its profile
 * goes on to agree. It means nothing for the next connection (RFC 8797-4-1, 8797-4-2).
 *
 * @param callThreshold the longest Send that carries a call, header included, in bytes
 * @param replyThreshold the longest Send that carries a reply
 * @param remoteInvalidation whether replies may be sent with invalidation: both sides said so
 * @param chunks whether calls and replies may have chunks
 * @param readsMax how many RDMA Reads the peer answers at a time; 0: none
 * @param emptyHeaderBytes the length of a transport header without chunks, in bytes
 */
public record ConnectionParameters(
        int callThreshold,
        int replyThreshold,
        boolean remoteInvalidation,
        boolean chunks,
        int readsMax,
        int emptyHeaderBytes) {
    /** How many RDMA Reads each side has in flight at a time, and answers. */
    public static final int READS = 32;

    /** A Linux client has a page for a reverse call, and one for its reply. */
    private static final int REVERSE_BYTES_MAX = 4096;

    /** The parameters of RFC 8166, of a direction whose calls and replies may have chunks. */
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
     * The parameters of the other direction, on which nothing has chunks (RFC 8167-5.3-1,
     * 8167-7-1). Its calls arrive where replies of this one do, and its replies where calls do (RFC
     * 8167-4.2-1).
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

    /** These parameters with other inline thresholds, in bytes. */
    public ConnectionParameters withThresholds(int calls, int replies) {
        return new ConnectionParameters(
                calls, replies, remoteInvalidation, chunks, readsMax, emptyHeaderBytes);
    }

    /** These parameters with another rule for invalidation by replies. */
    public ConnectionParameters withRemoteInvalidation(boolean changed) {
        return new ConnectionParameters(
                callThreshold, replyThreshold, changed, chunks, readsMax, emptyHeaderBytes);
    }

    /** These parameters with another number of RDMA Reads that the peer answers at a time. */
    public ConnectionParameters withReadsMax(int changed) {
        return new ConnectionParameters(
                callThreshold,
                replyThreshold,
                remoteInvalidation,
                chunks,
                changed,
                emptyHeaderBytes);
    }

    /** These parameters with another length of a transport header without chunks, in bytes. */
    public ConnectionParameters withEmptyHeaderBytes(int changed) {
        return new ConnectionParameters(
                callThreshold, replyThreshold, remoteInvalidation, chunks, readsMax, changed);
    }

    /**
     * The parameters from the active side's view.
     *
     * @param own what this side said
     * @param peer what came back, anything or nothing (RFC 8797-1-1)
     */
    public static ConnectionParameters ofRequester(PrivateData own, byte[] peer) {
        return of(own, PrivateData.find(peer).orElse(PrivateData.ABSENT));
    }

    /** The parameters from the passive side's view. */
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
