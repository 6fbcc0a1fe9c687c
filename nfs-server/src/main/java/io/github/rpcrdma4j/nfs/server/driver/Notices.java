package io.github.rpcrdma4j.nfs.server.driver;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Does a thing once for many notices of it: for the first one, and once more for all that come
 * meanwhile. A local process may cause notices faster than they can be heeded. Thread-safe.
 */
final class Notices {
    private final Executor threads;
    private final Runnable heeding;

    /** Those that have come, and that no thread has heeded. */
    private final AtomicInteger waiting = new AtomicInteger();

    /**
     * @param threads where it is done
     * @param heeding what to do; may wait
     */
    Notices(Executor threads, Runnable heeding) {
        this.threads = threads;
        this.heeding = heeding;
    }

    /** Takes one more notice. Does not wait. */
    void add() {
        if (waiting.getAndIncrement() == 0) {
            threads.execute(this::heed);
        }
    }

    private void heed() {
        int heeded;
        do {
            heeded = waiting.get();
            try {
                heeding.run();
            } catch (RuntimeException | Error error) {
                waiting.set(0);
                throw error;
            }
        } while (waiting.addAndGet(-heeded) != 0);
    }
}
