package io.github.rpcrdma4j.rpcrdma.v2.options;

import io.github.rpcrdma4j.rpcrdma.metrics.Counted;

/** What is counted on connections of version 2. */
public enum Version2Counter implements Counted {
    VERSION_2_CONNECTIONS("connections of version 2"),
    TOLD_WITH_CALLS("fetched replies that were told of with a call"),
    CONTINUED_CALLS("calls in several Sends"),
    CONTINUED_REPLIES("replies in several Sends"),
    PLACED_ARGUMENTS("arguments placed by Sends"),
    PLACED_ARGUMENT_BYTES("bytes of arguments placed by Sends"),
    PLACED_RESULTS("results placed by Sends"),
    PLACED_RESULT_BYTES("bytes of results placed by Sends"),
    CREDIT_FALLBACKS("calls by explicit RDMA for want of credits"),
    GROUP_ERRORS("XMTERR");

    private final String words;

    Version2Counter(String words) {
        this.words = words;
    }

    @Override
    public String words() {
        return words;
    }
}
