package io.github.rpcrdma4j.rpcrdma.session;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** The threads that wait until no call of a connection is in progress. Guarded by its lock. */
final class DrainingThreads {
    private final BooleanSupplier isDrained;
    private final List<Thread> threads = new ArrayList<>(0);

    /**
     * @param isDrained whether no call is in progress
     */
    DrainingThreads(BooleanSupplier isDrained) {
        this.isDrained = isDrained;
    }

    void add(Thread waiter) {
        threads.add(waiter);
    }

    void remove(Thread waiter) {
        threads.remove(waiter);
    }

    /** Wakes them if they have nothing to wait for: nothing else does while a listener polls. */
    void wakeIfDrained() {
        if (!threads.isEmpty() && isDrained.getAsBoolean()) {
            threads.forEach(RequesterDriver::wake);
        }
    }
}
