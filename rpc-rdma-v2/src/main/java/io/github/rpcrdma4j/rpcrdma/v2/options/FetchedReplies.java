package io.github.rpcrdma4j.rpcrdma.v2.options;

import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.rpcrdma.fetched.options.LateFetch;
import java.time.Duration;

/**
 * How an endpoint of version 2 has replies fetched that have no room: as a responder it keeps them
 * in memory of its own, for the requester to read, and as a requester it reads them
 * (draft-cel-nfsv4-rpcrdma-reliable-reply). Both sides have to have it.
 *
 * @param replyChunks for which calls memory is offered all the same, so that long replies are
 *     written and not fetched
 * @param longest the longest reply that this side fetches, in bytes
 * @param hold how long a reply is kept to be fetched; the peer is told so
 * @param exposedBytesMax the bytes from which on a responder exposes nothing more on one
 *     connection, but has replies wait until some were fetched; so it holds one reply more than
 *     that
 * @param lateness what becomes of a reply that is not fetched in time
 */
public record FetchedReplies(
        ReplyChunks replyChunks,
        long longest,
        Duration hold,
        long exposedBytesMax,
        LateFetch lateness) {
    /** Which calls offer a Reply chunk (draft-cel-nfsv4-rpcrdma-reliable-reply-02, 5.3.1). */
    public enum ReplyChunks {
        /**
         * All whose reply may be longer than a Send, as in version 1: only what outgrows every
         * estimate is fetched.
         */
        ALWAYS,
        /**
         * Always, but for procedures of which the {@link UpperLayerBinding} says that no caller
         * knows how long their replies get.
         */
        BY_BINDING,
        /** None. */
        NEVER
    }

    /** By the bindings; 128 MiB at the most; ten seconds for 64 MiB, invalidated then. */
    public static final FetchedReplies DEFAULT =
            new FetchedReplies(
                    ReplyChunks.BY_BINDING,
                    128L << 20,
                    Duration.ofSeconds(10),
                    64L << 20,
                    LateFetch.INVALIDATES);

    /** Checks the settings. */
    public FetchedReplies {
        if (longest < 1 || exposedBytesMax < 1) {
            throw new IllegalArgumentException("a limit of fetched replies is at least 1");
        }
        if (hold.toMillis() < 1 || hold.toMillis() > 0xffff_ffffL) {
            throw new IllegalArgumentException("hold must be 1 to 2^32-1 milliseconds");
        }
    }

    /** Sets for which calls a Reply chunk is offered. */
    public FetchedReplies withReplyChunks(ReplyChunks changed) {
        return new FetchedReplies(changed, longest, hold, exposedBytesMax, lateness);
    }

    /** Bounds a reply that is fetched, in bytes. */
    public FetchedReplies withLongest(long bytes) {
        return new FetchedReplies(replyChunks, bytes, hold, exposedBytesMax, lateness);
    }

    /** Sets how long a reply is held, and what follows a late fetch. */
    public FetchedReplies withHold(Duration changed, LateFetch then) {
        return new FetchedReplies(replyChunks, longest, changed, exposedBytesMax, then);
    }

    /** Bounds what a responder exposes on one connection, in bytes. */
    public FetchedReplies withExposedBytesMax(long bytes) {
        return new FetchedReplies(replyChunks, longest, hold, bytes, lateness);
    }
}
