package io.github.rpcrdma4j.rpcrdma.rfc5666.options;

import io.github.rpcrdma4j.rpcrdma.metrics.Counted;

/** The counters of fetched replies. */
public enum FetchedCounter implements Counted {
    /** Replies that a responder exposed, or that a requester fetched. */
    EXPOSED_REPLIES("replies exposed or fetched"),
    /** The bytes of these replies that move by RDMA Read. */
    EXPOSED_REPLY_BYTES("bytes of replies exposed or fetched"),
    /** Done notices: messages that say that replies were fetched. */
    DONE_NOTICES("done notices (RDMA_DONE, ROPT_RPDONE)"),
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
