package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.spi.CallThreads;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

/**
 * The source of clock and threads of connections: either the machine, or a simulation that steps
 * threads one at a time. {@link LockSupport#unpark} wakes its threads. Thread-safe.
 */
public interface Threads {
    /** The clock and the threads of the machine. */
    Threads OF_MACHINE =
            new Threads() {
                @Override
                public RandomGenerator random() {
                    return ThreadLocalRandom.current();
                }

                @Override
                public int processors() {
                    return Runtime.getRuntime().availableProcessors();
                }

                @Override
                public long nanoTime() {
                    return System.nanoTime();
                }

                @Override
                public void park(Object blocker, long nanos) {
                    LockSupport.parkNanos(blocker, nanos);
                }

                @Override
                public Thread unstarted(String name, Runnable work) {
                    return Thread.ofPlatform().daemon().name(name).unstarted(work);
                }

                @Override
                public CallThreads callThreads(String name, FailureLog failures) {
                    return CallThreads.create(name, failures);
                }
            };

    /** Returns the random generator. */
    RandomGenerator random();

    /** Returns how many threads can run at a time. */
    int processors();

    /** Returns the time in nanoseconds of any origin. */
    long nanoTime();

    /**
     * Parks the calling thread until it is unparked or interrupted, or the time has expired. It may
     * also return for no reason.
     *
     * @param nanos the longest time in nanoseconds; {@link Long#MAX_VALUE} for no limit
     */
    void park(Object blocker, long nanos);

    /** Returns a new daemon thread, which the caller starts. */
    Thread unstarted(String name, Runnable work);

    /**
     * Returns new threads to run calls, which the caller closes.
     *
     * @param name the prefix of their names, before the number
     * @param failures the log for exceptions of calls
     */
    CallThreads callThreads(String name, FailureLog failures);
}
