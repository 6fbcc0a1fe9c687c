package io.github.rpcrdma4j.rpcrdma.v2.options;

import io.github.rpcrdma4j.rpcrdma.metrics.Counted;

/** The counters of connections of version 2. */
public enum Version2Counter implements Counted {
    /** Connections of version 2. */
    VERSION_2_CONNECTIONS("connections of version 2"),
    /** Fetched replies whose done notice travelled with a call. */
    DONE_NOTICES_WITH_CALLS("done notices sent with a call"),
    /** Calls in several Sends. */
    CONTINUED_CALLS("calls in several Sends"),
    /** Replies in several Sends. */
    CONTINUED_REPLIES("replies in several Sends"),
    /** Arguments that Sends placed in the receives of the responder. */
    PLACED_ARGUMENTS("arguments placed by Sends"),
    /** The bytes of these arguments. */
    PLACED_ARGUMENT_BYTES("bytes of arguments placed by Sends"),
    /** Results that Sends placed in the receives of the requester. */
    PLACED_RESULTS("results placed by Sends"),
    /** The bytes of these results. */
    PLACED_RESULT_BYTES("bytes of results placed by Sends"),
    /** Calls that used explicit RDMA because credits were lacking. */
    CREDIT_FALLBACKS("calls by explicit RDMA because credits were lacking"),
    /** Complaints about groups of Sends, sent or received. */
    GROUP_ERRORS("complaints about groups (ROPT_XMTERR)");

    private final String words;

    Version2Counter(String words) {
        this.words = words;
    }

    @Override
    public String words() {
        return words;
    }
}
