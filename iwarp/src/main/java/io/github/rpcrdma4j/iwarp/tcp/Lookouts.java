package io.github.rpcrdma4j.iwarp.tcp;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many threads look at a time for what arrives, instead of sleeping: half of the processors are
 * left to those who have work, the peer on the same machine among them. Thread-safe.
 */
final class Lookouts {
    private final int most;
    private final AtomicInteger looking = new AtomicInteger();

    /**
     * @param processors of the machine
     */
    Lookouts(int processors) {
        most = processors / 2;
    }

    /** Whether one more may look; it says {@link #end} when it does no longer. */
    boolean begin() {
        if (looking.incrementAndGet() <= most) {
            return true;
        }
        looking.decrementAndGet();
        return false;
    }

    void end() {
        looking.decrementAndGet();
    }
}
