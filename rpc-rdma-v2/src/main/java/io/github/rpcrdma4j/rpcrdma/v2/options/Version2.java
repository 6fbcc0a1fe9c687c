package io.github.rpcrdma4j.rpcrdma.v2.options;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * How an endpoint speaks version 2 of RPC-over-RDMA, as {@code docs/version-two.md} describes it.
 * Its first message on a connection says what it is like; a peer that does not understand that is
 * spoken to in version 1, without a call being lost, if that will do.
 *
 * @param speaks1 whether version 1 will do too: for a client, with a server that speaks no other;
 *     for a server, with clients that begin so
 * @param receiveMax the longest receives that the peer may ask for, in bytes: what this side posts
 *     then is that long
 * @param wantedReceive the receive size to ask the peer for, in bytes: a client asks for more or
 *     for less than the server has, a server for more alone; empty: whatever it has
 * @param transmissions how messages travel in several Sends, and bulk data in receives; empty: they
 *     do not
 * @param fetchedReplies how requesters fetch replies that have no room; empty: they are refused
 */
public record Version2(
        boolean speaks1,
        int receiveMax,
        OptionalInt wantedReceive,
        Optional<Transmissions> transmissions,
        Optional<FetchedReplies> fetchedReplies) {
    /** What a message with bulk data, or a long one, travels by. */
    public enum Carriage {
        /** By what costs least, from sizes, credits and the measured round trip. */
        CHEAPEST,
        /** By RDMA Read and Write, as in version 1. */
        EXPLICIT,
        /** In several Sends where one is not enough. */
        CONTINUED,
        /** Bulk data in the receives of the peer. */
        PLACED
    }

    /**
     * How messages travel in several Sends.
     *
     * @param requestMax Sends of one request that this side takes; 1: no more than one
     * @param responseMax Sends of one response that it makes
     * @param segments for bulk data behind the first bytes of each receive; 0: none
     * @param segmentBytes the length of each, in bytes; a multiple of 4
     * @param carriage what calls of this side travel by
     */
    public record Transmissions(
            int requestMax, int responseMax, int segments, int segmentBytes, Carriage carriage) {
        /** Eight Sends, 8 KiB of bulk data in each receive, and what costs least. */
        public static final Transmissions DEFAULT =
                new Transmissions(8, 8, 1, 8 << 10, Carriage.CHEAPEST);

        private static final int SENDS_MAX = 256;
        private static final int SEGMENTS_MAX = 64;

        /** Checks the settings. */
        public Transmissions {
            if (Math.min(requestMax, responseMax) < 1
                    || Math.max(requestMax, responseMax) > SENDS_MAX) {
                throw new IllegalArgumentException("a message has 1 to " + SENDS_MAX + " Sends");
            }
            if (segments < 0 || segments > SEGMENTS_MAX) {
                throw new IllegalArgumentException("segments must be 0 to " + SEGMENTS_MAX);
            }
            if (segments > 0
                    && (segmentBytes < Integer.BYTES || segmentBytes % Integer.BYTES != 0)) {
                throw new IllegalArgumentException("segmentBytes must be a multiple of 4");
            }
        }

        /** Sets how data is carried. */
        public Transmissions withCarriage(Carriage changed) {
            return new Transmissions(requestMax, responseMax, segments, segmentBytes, changed);
        }

        /** Bytes of a receive behind its first part. */
        public int placementBytes() {
            return segments * segmentBytes;
        }
    }

    /** Version 1 will do, the peer may ask for 64 KiB, and messages may have several Sends. */
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

    /** Speaks version 1 too, or not. */
    public Version2 withSpeaks1(boolean changed) {
        return new Version2(changed, receiveMax, wantedReceive, transmissions, fetchedReplies);
    }

    /** Bounds the receives that a peer may ask for, in bytes. */
    public Version2 withReceiveMax(int bytes) {
        return new Version2(speaks1, bytes, wantedReceive, transmissions, fetchedReplies);
    }

    /** Asks the peer for receives of that length, in bytes. */
    public Version2 withWantedReceive(int bytes) {
        return new Version2(
                speaks1, receiveMax, OptionalInt.of(bytes), transmissions, fetchedReplies);
    }

    /** Sends messages in several Sends. */
    public Version2 withTransmissions(Transmissions changed) {
        return new Version2(
                speaks1, receiveMax, wantedReceive, Optional.of(changed), fetchedReplies);
    }

    /** Every message in one Send, and bulk data by explicit RDMA. */
    public Version2 withoutTransmissions() {
        return new Version2(speaks1, receiveMax, wantedReceive, Optional.empty(), fetchedReplies);
    }

    /** Lets replies without room be fetched. */
    public Version2 withFetchedReplies(FetchedReplies changed) {
        return new Version2(
                speaks1, receiveMax, wantedReceive, transmissions, Optional.of(changed));
    }

    /** What has no room is refused. */
    public Version2 withoutFetchedReplies() {
        return new Version2(speaks1, receiveMax, wantedReceive, transmissions, Optional.empty());
    }

    /**
     * Receives for the Sends of responses behind the first of each.
     *
     * @param credits for calls in the usual direction
     * @param reverseCredits for calls in the other
     */
    public int spareForResponses(int credits, int reverseCredits) {
        return transmissions.isPresent() ? Math.max(credits, reverseCredits) : 0;
    }

    /**
     * Receives for what is said of fetched replies, and for the answers to that: with calls both
     * ways there are both at a time.
     *
     * @param credits for calls in the usual direction
     * @param reverseCredits for calls in the other
     */
    public int spareForFetchedReplies(int credits, int reverseCredits) {
        return fetchedReplies.isPresent() ? 2 * Math.max(credits, reverseCredits) : 0;
    }
}
