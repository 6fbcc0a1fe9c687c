package io.github.rpcrdma4j.rpcrdma.metrics;

/**
 * The counters of a client or a server. Counts of bytes include payload only, without headers and
 * without padding of chunks.
 */
public enum Counter implements Counted {
    /** Connections that were set up. */
    CONNECTIONS_OPENED("connections opened"),
    /** Connections that have ended. */
    CONNECTIONS_ENDED("connections ended"),
    /** Connections that were refused because a limit was reached. */
    CONNECTIONS_REFUSED("connections refused because a limit was reached"),
    /** Connections that the server closed while they were idle. */
    CONNECTIONS_IDLE("idle connections closed"),
    /** Connections that were closed because their peer stalled outstanding work. */
    PEERS_STALLED("connections closed because the peer stalled"),
    /** Calls that were sent, or arrived. */
    CALLS("calls"),
    /** Calls that waited for a limit of their client or of the server. */
    CALLS_DELAYED("calls delayed by a limit"),
    /** Replies that arrived, or were sent. */
    REPLIES("replies"),
    /** Bytes of calls that travelled in Sends. */
    INLINE_CALL_BYTES("bytes of calls inline"),
    /** Bytes of replies that travelled in Sends. */
    INLINE_REPLY_BYTES("bytes of replies inline"),
    /** Read chunks that a requester offered, or a responder fetched. */
    READ_CHUNKS("Read chunks"),
    /** Bytes in Read chunks. */
    READ_CHUNK_BYTES("bytes in Read chunks"),
    /** Calls whose message is in a Position-Zero Read chunk. */
    LONG_CALLS("Position-Zero Read chunks"),
    /** Bytes in Position-Zero Read chunks. */
    LONG_CALL_BYTES("bytes in Position-Zero Read chunks"),
    /** Write chunks that were filled. */
    WRITE_CHUNKS("Write chunks filled"),
    /** Bytes in filled Write chunks. */
    WRITE_CHUNK_BYTES("bytes in Write chunks"),
    /** Reply chunks that were filled. */
    REPLY_CHUNKS("Reply chunks filled"),
    /** Bytes in filled Reply chunks. */
    REPLY_CHUNK_BYTES("bytes in Reply chunks"),
    /** Handles that the peer invalidated by a Send. */
    REMOTE_INVALIDATIONS("handles invalidated by Send"),
    /** Errors about the protocol version of a message, sent or received. */
    VERSION_ERRORS("ERR_VERS"),
    /** Errors about chunks or headers, sent or received. */
    CHUNK_ERRORS("ERR_CHUNK"),
    /** Messages that were dropped without an answer. */
    DISCARDED("messages discarded");

    private final String words;

    Counter(String words) {
        this.words = words;
    }

    @Override
    public String words() {
        return words;
    }
}
