package io.github.rpcrdma4j.iwarp.tcp;

import java.util.concurrent.atomic.AtomicInteger;

/** Bounds how many threads of a provider busy-poll at a time instead of sleeping. Thread-safe. */
final class BusyPollPermits {
    private final int most;
    private final AtomicInteger polling = new AtomicInteger();
    private final AtomicInteger waiting = new AtomicInteger();

    /**
     * Makes the permits of one provider.
     *
     * @param most how many threads may busy-poll
     */
    BusyPollPermits(int most) {
        this.most = most;
    }

    /** Records that a thread waits, busy-polling or asleep, until it calls {@link #leave}. */
    void enter() {
        waiting.incrementAndGet();
    }

    void leave() {
        waiting.decrementAndGet();
    }

    /**
     * Returns whether one more waiting thread may busy-poll. If so, it calls {@link #end} when it
     * stops.
     *
     * @param isVirtual whether the thread is virtual. A virtual thread cannot yield its carrier's
     *     processor to other platform threads, so it busy-polls only if no other thread waits
     */
    boolean begin(boolean isVirtual) {
        if (isVirtual && waiting.get() > 1) {
            return false;
        }
        if (polling.incrementAndGet() <= most) {
            return true;
        }
        polling.decrementAndGet();
        return false;
    }

    void end() {
        polling.decrementAndGet();
    }
}
