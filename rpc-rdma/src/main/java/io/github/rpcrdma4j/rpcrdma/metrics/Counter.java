package io.github.rpcrdma4j.rpcrdma.metrics;

/** What a client or a server counts. Bytes are payload: no headers, no padding of chunks. */
public enum Counter implements Counted {
    CONNECTIONS_OPENED("connections opened"),
    CONNECTIONS_ENDED("connections ended"),
    CONNECTIONS_REFUSED("connections refused for too many"),
    CONNECTIONS_IDLE("idle connections ended"),
    PEERS_STALLED("connections ended for a peer that did nothing"),
    CALLS("calls"),
    CALLS_DELAYED("times that a call waited for others of its client"),
    REPLIES("replies"),
    INLINE_CALL_BYTES("bytes of calls inline"),
    INLINE_REPLY_BYTES("bytes of replies inline"),
    READ_CHUNKS("Read chunks"),
    READ_CHUNK_BYTES("bytes in Read chunks"),
    LONG_CALLS("Position-Zero Read chunks"),
    LONG_CALL_BYTES("bytes in Position-Zero Read chunks"),
    WRITE_CHUNKS("Write chunks filled"),
    WRITE_CHUNK_BYTES("bytes in Write chunks"),
    REPLY_CHUNKS("Reply chunks filled"),
    REPLY_CHUNK_BYTES("bytes in Reply chunks"),
    REMOTE_INVALIDATIONS("handles invalidated by Send"),
    VERSION_ERRORS("ERR_VERS"),
    CHUNK_ERRORS("ERR_CHUNK"),
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
