package io.github.rpcrdma4j.rpcrdma.v2.options;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * The options of version 2 of RPC-over-RDMA, which {@code docs/version-two.md} describes. The first
 * message of an endpoint has its characteristics. If the peer does not understand that, the
 * endpoint continues in version 1 where allowed, without losing a call.
 *
 * <p>Tests: {@code Version2OverIwarpTest}.
 *
 * @param speaks1 whether version 1 is acceptable too: for a client, with a server that speaks no
 *     other; for a server, with clients that begin with it
 * @param receiveMax the longest receives that the peer may ask for, in bytes; this side then posts
 *     receives of that length
 * @param wantedReceive the receive size to ask the peer for, in bytes; a client asks for more or
 *     less than the server has, a server only for more; empty: no request
 * @param transmissions how messages travel in several Sends, and bulk data in receives; empty: they
 *     do not
 * @param fetchedReplies how requesters fetch replies that fit nowhere else; empty: such calls are
 *     refused
 */
public record Version2(
        boolean speaks1,
        int receiveMax,
        OptionalInt wantedReceive,
        Optional<Transmissions> transmissions,
        Optional<FetchedReplies> fetchedReplies) {
    /** The policy that decides how a long message, or one with bulk data, travels. */
    public enum TransferPolicy {
        /** The cheapest method, computed from sizes, credits and the measured round trip. */
        CHEAPEST,
        /** By RDMA Read and Write, as in version 1. */
        EXPLICIT,
        /** In several Sends if one is not enough. */
        CONTINUED,
        /** With bulk data in the receives of the peer. */
        PLACED
    }

    /**
     * The options of messages in several Sends.
     *
     * @param requestMax the most Sends of one request that this side accepts; 1: a single Send
     * @param responseMax the most Sends of one response that this side makes
     * @param segments the number of segments for bulk data after the plain start of each receive;
     *     0: none
     * @param segmentBytes the length of each segment, in bytes; a multiple of 4, and at most 16 MiB
     *     for all segments of a receive
     * @param transferPolicy decides how calls of this side travel
     */
    public record Transmissions(
            int requestMax,
            int responseMax,
            int segments,
            int segmentBytes,
            TransferPolicy transferPolicy) {
        /** Eight Sends, 8 KiB of bulk data in each receive, and the cheapest method. */
        public static final Transmissions DEFAULT =
                new Transmissions(8, 8, 1, 8 << 10, TransferPolicy.CHEAPEST);

        private static final int SENDS_MAX = 256;
        private static final int SEGMENTS_MAX = 64;
        private static final int PLACEMENT_BYTES_MAX = 16 << 20;

        /**
         * Checks the settings.
         *
         * @throws IllegalArgumentException if one is out of range
         */
        public Transmissions {
            if (Math.min(requestMax, responseMax) < 1
                    || Math.max(requestMax, responseMax) > SENDS_MAX) {
                throw new IllegalArgumentException(
                        "requestMax and responseMax must be 1 to " + SENDS_MAX);
            }
            if (segments < 0 || segments > SEGMENTS_MAX) {
                throw new IllegalArgumentException("segments must be 0 to " + SEGMENTS_MAX);
            }
            if (segments > 0
                    && (segmentBytes < Integer.BYTES || segmentBytes % Integer.BYTES != 0)) {
                throw new IllegalArgumentException("segmentBytes must be a multiple of 4");
            }
            if ((long) segments * segmentBytes > PLACEMENT_BYTES_MAX) {
                throw new IllegalArgumentException(
                        "segments times segmentBytes must be at most " + PLACEMENT_BYTES_MAX);
            }
        }

        /** Returns these options with another policy that decides how calls travel. */
        public Transmissions withTransferPolicy(TransferPolicy changed) {
            return new Transmissions(requestMax, responseMax, segments, segmentBytes, changed);
        }

        /** Returns the number of bytes for bulk data in each receive. */
        public int placementBytes() {
            return segments * segmentBytes;
        }
    }

    /**
     * Version 1 is acceptable, the peer may ask for 64 KiB, and messages may have several Sends.
     */
    public static final Version2 DEFAULT =
            new Version2(
                    true,
                    64 << 10,
                    OptionalInt.empty(),
                    Optional.of(Transmissions.DEFAULT),
                    Optional.of(FetchedReplies.DEFAULT));

    private static final int RECEIVE_MIN = 1024;

    /** Checks the settings. */
    public Version2 {
        if (receiveMax < RECEIVE_MIN) {
            throw new IllegalArgumentException("receiveMax must be " + RECEIVE_MIN + " or more");
        }
        if (wantedReceive.isPresent() && wantedReceive.getAsInt() < RECEIVE_MIN) {
            throw new IllegalArgumentException("wantedReceive must be " + RECEIVE_MIN + " or more");
        }
    }

    /** Returns these options with version 1 acceptable or not. */
    public Version2 withSpeaks1(boolean changed) {
        return new Version2(changed, receiveMax, wantedReceive, transmissions, fetchedReplies);
    }

    /** Returns these options with other longest receives that a peer may ask for, in bytes. */
    public Version2 withReceiveMax(int bytes) {
        return new Version2(speaks1, bytes, wantedReceive, transmissions, fetchedReplies);
    }

    /** Returns these options with a receive size to ask the peer for, in bytes. */
    public Version2 withWantedReceive(int bytes) {
        return new Version2(
                speaks1, receiveMax, OptionalInt.of(bytes), transmissions, fetchedReplies);
    }

    /** Returns these options with other options of messages in several Sends. */
    public Version2 withTransmissions(Transmissions changed) {
        return new Version2(
                speaks1, receiveMax, wantedReceive, Optional.of(changed), fetchedReplies);
    }

    /**
     * Returns these options with every message in one Send. Bulk data then moves by explicit RDMA.
     */
    public Version2 withoutTransmissions() {
        return new Version2(speaks1, receiveMax, wantedReceive, Optional.empty(), fetchedReplies);
    }

    /** Returns these options with other options of fetched replies. */
    public Version2 withFetchedReplies(FetchedReplies changed) {
        return new Version2(
                speaks1, receiveMax, wantedReceive, transmissions, Optional.of(changed));
    }

    /**
     * Returns these options without fetched replies. Calls whose replies fit nowhere else are then
     * refused.
     */
    public Version2 withoutFetchedReplies() {
        return new Version2(speaks1, receiveMax, wantedReceive, transmissions, Optional.empty());
    }

    /**
     * Returns the number of receives for the Sends of responses after the first of each.
     *
     * @param credits the credits of calls in the forward direction
     * @param reverseCredits the credits of calls in the reverse direction
     */
    public int spareForResponses(int credits, int reverseCredits) {
        return transmissions.isPresent() ? Math.max(credits, reverseCredits) : 0;
    }

    /**
     * Returns the number of receives for done notices and for their answers. With calls in both
     * directions both may arrive at a time.
     *
     * @param credits the credits of calls in the forward direction
     * @param reverseCredits the credits of calls in the reverse direction
     */
    public int spareForFetchedReplies(int credits, int reverseCredits) {
        return fetchedReplies.isPresent() ? 2 * Math.max(credits, reverseCredits) : 0;
    }
}
