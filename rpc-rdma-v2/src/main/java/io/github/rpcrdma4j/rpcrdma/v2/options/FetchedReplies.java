package io.github.rpcrdma4j.rpcrdma.v2.options;

import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.rpcrdma.rfc5666.options.LateFetch;
import java.time.Duration;

/**
 * The options of fetched replies in version 2. A responder keeps a reply that fits nowhere else in
 * its own memory, and the requester reads it from there (draft-cel-nfsv4-rpcrdma-reliable-reply).
 * Both sides have to support it.
 *
 * @param replyChunks the calls that offer memory nevertheless, so that long replies are written and
 *     not fetched
 * @param longest the longest reply that this side fetches, in bytes
 * @param hold how long a responder keeps a reply to be fetched; the peer learns this time
 * @param exposedBytesMax the number of exposed bytes at which a responder exposes nothing more on
 *     one connection. Further replies wait until some were fetched; the last exposed reply may
 *     exceed the limit.
 * @param lateness what a responder does when a reply is not fetched in time
 */
public record FetchedReplies(
        ReplyChunks replyChunks,
        long longest,
        Duration hold,
        long exposedBytesMax,
        LateFetch lateness) {
    /** The calls that offer a Reply chunk (draft-cel-nfsv4-rpcrdma-reliable-reply-02, 5.3.1). */
    public enum ReplyChunks {
        /**
         * Every call whose reply may be longer than a Send, as in version 1. Only replies longer
         * than estimated are fetched.
         */
        ALWAYS,
        /**
         * Every such call, except for procedures whose {@link UpperLayerBinding} says that the
         * caller cannot know the length of the reply.
         */
        BY_BINDING,
        /** No call. */
        NEVER
    }

    /** By the bindings; replies of up to 128 MiB; 64 MiB exposed, invalidated after ten seconds. */
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
            throw new IllegalArgumentException("longest and exposedBytesMax must be at least 1");
        }
        if (hold.toMillis() < 1 || hold.toMillis() > 0xffff_ffffL) {
            throw new IllegalArgumentException("hold must be 1 to 2^32-1 milliseconds");
        }
    }

    /** Returns these options with other calls that offer a Reply chunk. */
    public FetchedReplies withReplyChunks(ReplyChunks changed) {
        return new FetchedReplies(changed, longest, hold, exposedBytesMax, lateness);
    }

    /** Returns these options with another longest reply that this side fetches, in bytes. */
    public FetchedReplies withLongest(long bytes) {
        return new FetchedReplies(replyChunks, bytes, hold, exposedBytesMax, lateness);
    }

    /**
     * Returns these options with another time that a reply is kept, and with what then happens to a
     * reply that was not fetched.
     */
    public FetchedReplies withHold(Duration changed, LateFetch then) {
        return new FetchedReplies(replyChunks, longest, changed, exposedBytesMax, then);
    }

    /** Returns these options with another limit of exposed bytes on one connection. */
    public FetchedReplies withExposedBytesMax(long bytes) {
        return new FetchedReplies(replyChunks, longest, hold, bytes, lateness);
    }
}
