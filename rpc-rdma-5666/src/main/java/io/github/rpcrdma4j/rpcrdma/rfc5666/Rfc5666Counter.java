package io.github.rpcrdma4j.rpcrdma.rfc5666;

import io.github.rpcrdma4j.rpcrdma.metrics.Statistics;

/** What is counted on connections of RFC 5666. */
public enum Rfc5666Counter implements Statistics.Counted {
    PADDED_MESSAGES("RDMA_MSGP");

    private final String words;

    Rfc5666Counter(String words) {
        this.words = words;
    }

    @Override
    public String words() {
        return words;
    }
}
