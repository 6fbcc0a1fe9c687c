package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.rpcrdma.connection.StallWatch;

/** How long a peer may stall work, and how slow it may be. */
enum Patience {
    /** Nothing waits for memory of the peer's client. */
    USUAL(1, StallWatch.LEAST_RATE),

    /** Calls of the client wait for others of it, or calls of all clients wait for memory. */
    SHORT(8, StallWatch.LEAST_RATE),

    /** Calls of all clients wait for memory, and this client holds more than an equal part. */
    WITH_GREEDY(8, StallWatch.NETWORK_RATE);

    private final int timeoutDivisor;
    private final long rate;

    Patience(int timeoutDivisor, long rate) {
        this.timeoutDivisor = timeoutDivisor;
        this.rate = rate;
    }

    /** Returns the divisor of the times for which a peer may make no progress. */
    int timeoutDivisor() {
        return timeoutDivisor;
    }

    /** Returns the bytes a second that a peer has to move, while work waits for it. */
    long rate() {
        return rate;
    }
}
