package io.github.rpcrdma4j.iwarp.tcp;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Bounds how many threads of a provider look at a time for what arrives, instead of sleeping.
 * Thread-safe.
 */
final class BusyPollPermits {
    private final int most;
    private final AtomicInteger looking = new AtomicInteger();
    private final AtomicInteger waiting = new AtomicInteger();

    /**
     * @param most how many may look
     */
    BusyPollPermits(int most) {
        this.most = most;
    }

    /** A thread waits, looking or asleep, until it says {@link #leave}. */
    void enter() {
        waiting.incrementAndGet();
    }

    void leave() {
        waiting.decrementAndGet();
    }

    /**
     * Whether one more of those that wait may look; it says {@link #end} when it does no longer.
     *
     * @param isVirtual whether its thread is virtual. Such a thread cannot offer the processor that
     *     carries it to the threads of others, so it looks only where no other thread waits
     */
    boolean begin(boolean isVirtual) {
        if (isVirtual && waiting.get() > 1) {
            return false;
        }
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
