package io.github.rpcrdma4j.oncrpc;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The clock of a {@link ReconnectingRpcClient}, and its waits: those of the machine, or of a
 * simulation. Thread-safe.
 */
interface ReconnectingTime {
    /** The clock and the waits of the machine. */
    ReconnectingTime OF_MACHINE =
            new ReconnectingTime() {
                @Override
                public long nanoTime() {
                    return System.nanoTime();
                }

                @Override
                public double chance() {
                    return ThreadLocalRandom.current().nextDouble();
                }

                @Override
                public Condition condition(ReentrantLock lock) {
                    return lock.newCondition();
                }

                @Override
                public boolean tryLock(ReentrantLock lock, long nanos) throws InterruptedException {
                    return lock.tryLock(nanos, TimeUnit.NANOSECONDS);
                }
            };

    /** Returns the time in nanoseconds of any origin. */
    long nanoTime();

    /** Returns a random number from 0 (inclusive) to 1 (exclusive). */
    double chance();

    /** Returns a new condition of a lock. */
    Condition condition(ReentrantLock lock);

    /** Takes a lock. Returns false if it was not free in so many nanoseconds. */
    boolean tryLock(ReentrantLock lock, long nanos) throws InterruptedException;
}
