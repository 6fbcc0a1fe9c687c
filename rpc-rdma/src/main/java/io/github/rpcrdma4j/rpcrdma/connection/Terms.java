package io.github.rpcrdma4j.rpcrdma.connection;

import io.github.rpcrdma4j.rpcrdma.options.FetchedReplies.ReplyChunks;
import io.github.rpcrdma4j.rpcrdma.wire.PrivateData;

/**
 * What the two sides of a connection agreed on when it was set up: fixed for its life, and of no
 * meaning for the next (RFC 8797-4-1, 8797-4-2).
 *
 * @param callThreshold the longest Send that carries a call, header included, in octets
 * @param replyThreshold the longest Send that carries a reply
 * @param remoteInvalidation whether replies may be sent with invalidation: both sides said so
 * @param chunks whether calls and replies may have chunks
 * @param readsMax how many RDMA Reads the peer answers at a time; 0: none
 * @param framing the version that is spoken
 * @param replyChunks which calls offer a Reply chunk
 */
public record Terms(
        int callThreshold,
        int replyThreshold,
        boolean remoteInvalidation,
        boolean chunks,
        int readsMax,
        Framing framing,
        ReplyChunks replyChunks) {
    /** How many RDMA Reads each side has in flight at a time, and answers. */
    public static final int READS = 32;

    /** A Linux client has a page for a reverse call, and one for its reply. */
    private static final int REVERSE_BYTES_MAX = 4096;

    /** The terms of version 1. */
    public Terms(
            int callThreshold,
            int replyThreshold,
            boolean remoteInvalidation,
            boolean chunks,
            int readsMax) {
        this(
                callThreshold,
                replyThreshold,
                remoteInvalidation,
                chunks,
                readsMax,
                Framing.VERSION_1,
                ReplyChunks.ALWAYS);
    }

    /** The terms of a direction whose calls and replies may have chunks. */
    public Terms(int callThreshold, int replyThreshold, boolean remoteInvalidation) {
        this(callThreshold, replyThreshold, remoteInvalidation, true, Integer.MAX_VALUE);
    }

    /**
     * The terms of the other direction, on which nothing has chunks (RFC 8167-5.3-1, 8167-7-1). Its
     * calls arrive where replies of this one do, and its replies where calls do (RFC 8167-4.2-1).
     */
    public Terms reversed() {
        return new Terms(
                Math.min(replyThreshold, REVERSE_BYTES_MAX),
                Math.min(callThreshold, REVERSE_BYTES_MAX),
                false,
                false,
                0,
                framing,
                replyChunks);
    }

    /**
     * What holds in version 2, once a peer has told of itself (V2-2.1-1).
     *
     * @param calls the longest Send that carries a call, in octets
     * @param replies the longest that carries a reply
     * @param invalidates whether replies may be sent with invalidation
     */
    public Terms ofVersion2(int calls, int replies, boolean invalidates) {
        return new Terms(
                calls, replies, invalidates, chunks, readsMax, Framing.VERSION_2, replyChunks);
    }

    /** The same, with Reply chunks offered by another rule. */
    public Terms offering(ReplyChunks rule) {
        return new Terms(
                callThreshold, replyThreshold, remoteInvalidation, chunks, readsMax, framing, rule);
    }

    /**
     * What a client may do after the server has told of itself.
     *
     * @param own what the client said (RFC 5666-6.2-5)
     * @param server what came back (RFC 5666-6.2-3)
     * @param sendMax the longest Send that the client makes, in octets
     */
    public Terms configured(ConfRdma.Arguments own, ConfRdma.Results server, int sendMax) {
        return new Terms(
                least(server.longestCall(), sendMax),
                own.longestReply(),
                remoteInvalidation,
                chunks,
                least(server.reads(), Integer.MAX_VALUE),
                framing,
                replyChunks);
    }

    /**
     * What a server may do after the client has told of itself.
     *
     * @param sendMax the longest Send that the server makes, in octets
     */
    public Terms configured(ConfRdma.Arguments client, int sendMax) {
        return new Terms(
                callThreshold,
                least(client.longestReply(), sendMax),
                remoteInvalidation,
                chunks,
                least(client.reads(), Integer.MAX_VALUE),
                framing,
                replyChunks);
    }

    /** The smaller of an unsigned word and a number. */
    private static int least(int word, int most) {
        return (int) Math.min(Integer.toUnsignedLong(word), most);
    }

    /**
     * The terms from the active side's view.
     *
     * @param own what this side said
     * @param peer what came back, anything or nothing (RFC 8797-1-1)
     */
    public static Terms ofRequester(PrivateData own, byte[] peer) {
        return of(own, PrivateData.find(peer).orElse(PrivateData.ABSENT));
    }

    /** The terms from the passive side's view. */
    public static Terms ofResponder(PrivateData own, byte[] peer) {
        return of(PrivateData.find(peer).orElse(PrivateData.ABSENT), own);
    }

    private static Terms of(PrivateData requester, PrivateData responder) {
        // RFC 8166-3.3.2-1, 8797-4.2-3, 8797-4.2-4.
        return new Terms(
                Math.min(requester.sendSize(), responder.receiveSize()),
                Math.min(responder.sendSize(), requester.receiveSize()),
                // RFC 8797-4.1-3.
                requester.remoteInvalidation() && responder.remoteInvalidation());
    }
}
