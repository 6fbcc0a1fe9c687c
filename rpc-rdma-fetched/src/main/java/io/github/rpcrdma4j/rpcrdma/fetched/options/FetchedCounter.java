package io.github.rpcrdma4j.rpcrdma.fetched.options;

import io.github.rpcrdma4j.rpcrdma.metrics.Counted;

/** What is counted where requesters fetch replies. */
public enum FetchedCounter implements Counted {
    /** Replies that their requester fetched. */
    EXPOSED_REPLIES("replies that were fetched"),
    /** Their bytes. */
    EXPOSED_REPLY_BYTES("bytes of replies that were fetched"),
    /** Messages which say that replies were fetched. */
    DONES("RDMA_DONE and RPDONE"),
    /** Replies that their requester did not fetch in time. */
    UNFETCHED_REPLIES("replies that were not fetched in time");

    private final String words;

    FetchedCounter(String words) {
        this.words = words;
    }

    @Override
    public String words() {
        return words;
    }
}
