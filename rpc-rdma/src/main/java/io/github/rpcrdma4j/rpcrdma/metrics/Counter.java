package io.github.rpcrdma4j.rpcrdma.metrics;

/** What a client or a server counts. Octets are payload: no headers, no padding of chunks. */
public enum Counter {
    CONNECTIONS_OPENED("connections opened"),
    VERSION_2_CONNECTIONS("connections of version 2"),
    CONNECTIONS_ENDED("connections ended"),
    CONNECTIONS_REFUSED("connections refused for too many"),
    CONNECTIONS_IDLE("idle connections ended"),
    PEERS_STALLED("connections ended for a peer that did nothing"),
    CALLS("calls"),
    CALLS_DELAYED("times that a call waited for others of its client"),
    REPLIES("replies"),
    INLINE_CALL_OCTETS("octets of calls inline"),
    INLINE_REPLY_OCTETS("octets of replies inline"),
    READ_CHUNKS("Read chunks"),
    READ_CHUNK_OCTETS("octets in Read chunks"),
    LONG_CALLS("Position-Zero Read chunks"),
    LONG_CALL_OCTETS("octets in Position-Zero Read chunks"),
    WRITE_CHUNKS("Write chunks filled"),
    WRITE_CHUNK_OCTETS("octets in Write chunks"),
    REPLY_CHUNKS("Reply chunks filled"),
    REPLY_CHUNK_OCTETS("octets in Reply chunks"),
    EXPOSED_REPLIES("replies that were fetched"),
    EXPOSED_REPLY_OCTETS("octets of replies that were fetched"),
    DONES("RDMA_DONE and RPDONE"),
    TOLD_WITH_CALLS("fetched replies that were told of with a call"),
    UNFETCHED_REPLIES("replies that were not fetched in time"),
    PADDED_MESSAGES("RDMA_MSGP"),
    REMOTE_INVALIDATIONS("handles invalidated by Send"),
    VERSION_ERRORS("ERR_VERS"),
    CHUNK_ERRORS("ERR_CHUNK"),
    CONTINUED_CALLS("calls in several Sends"),
    CONTINUED_REPLIES("replies in several Sends"),
    PLACED_ARGUMENTS("arguments placed by Sends"),
    PLACED_ARGUMENT_OCTETS("octets of arguments placed by Sends"),
    PLACED_RESULTS("results placed by Sends"),
    PLACED_RESULT_OCTETS("octets of results placed by Sends"),
    CREDIT_FALLBACKS("calls by explicit RDMA for want of credits"),
    COMPLAINTS("XMTERR"),
    DISCARDED("messages discarded");

    private final String words;

    Counter(String words) {
        this.words = words;
    }

    /** The name for a user. */
    public String words() {
        return words;
    }
}
