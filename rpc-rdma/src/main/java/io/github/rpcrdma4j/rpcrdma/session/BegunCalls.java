package io.github.rpcrdma4j.rpcrdma.session;

import java.util.concurrent.atomic.AtomicInteger;

/** Counts the begun calls of a server, for which no thread waits. Thread-safe. */
final class BegunCalls {
    /** How often a thread that waits for their end checks it, in nanoseconds. */
    private static final long CHECK_NANOS = 1_000_000;

    private final AtomicInteger count = new AtomicInteger();

    void began() {
        count.incrementAndGet();
    }

    void ended() {
        count.decrementAndGet();
    }

    /** Waits until no begun call is in progress. An interrupt does not end the wait. */
    void awaitNone(Threads threads) {
        boolean isInterrupted = false;
        while (count.get() > 0) {
            threads.park(this, CHECK_NANOS);
            isInterrupted |= Thread.interrupted();
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
