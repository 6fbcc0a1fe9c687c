package io.github.rpcrdma4j.rpcrdma.metrics;

/** What a client or a server counts. Bytes are payload: no headers, no padding of chunks. */
public enum Counter implements Counted {
    /** Connections that were set up. */
    CONNECTIONS_OPENED("connections opened"),
    /** Connections that have ended. */
    CONNECTIONS_ENDED("connections ended"),
    /** Connections that were refused because there were too many. */
    CONNECTIONS_REFUSED("connections refused for too many"),
    /** Connections that were ended because they were idle. */
    CONNECTIONS_IDLE("idle connections ended"),
    /** Connections that were ended because their peer did nothing of what it owed. */
    PEERS_STALLED("connections ended for a peer that did nothing"),
    /** Calls that were sent, or arrived. */
    CALLS("calls"),
    /** Calls that waited because their client held as much as it may. */
    CALLS_DELAYED("times that a call waited for others of its client"),
    /** Replies that arrived, or were sent. */
    REPLIES("replies"),
    /** Bytes of calls that travelled in Sends. */
    INLINE_CALL_BYTES("bytes of calls inline"),
    /** Bytes of replies that travelled in Sends. */
    INLINE_REPLY_BYTES("bytes of replies inline"),
    /** Read chunks that calls offered. */
    READ_CHUNKS("Read chunks"),
    /** Their bytes. */
    READ_CHUNK_BYTES("bytes in Read chunks"),
    /** Calls whose message is in a Position-Zero Read chunk. */
    LONG_CALLS("Position-Zero Read chunks"),
    /** Their bytes. */
    LONG_CALL_BYTES("bytes in Position-Zero Read chunks"),
    /** Write chunks that were filled. */
    WRITE_CHUNKS("Write chunks filled"),
    /** Their bytes. */
    WRITE_CHUNK_BYTES("bytes in Write chunks"),
    /** Reply chunks that were filled. */
    REPLY_CHUNKS("Reply chunks filled"),
    /** Their bytes. */
    REPLY_CHUNK_BYTES("bytes in Reply chunks"),
    /** Handles that the peer invalidated by a Send. */
    REMOTE_INVALIDATIONS("handles invalidated by Send"),
    /** Messages of a version that is not spoken. */
    VERSION_ERRORS("ERR_VERS"),
    /** Errors about chunks or headers. */
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
