package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.spi.CallThreads;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

/**
 * The clock and the threads of connections: those of the machine, or those of a simulation that
 * steps them one at a time. A thread is woken by {@link LockSupport#unpark}. Thread-safe.
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
                    return CallThreads.ofMachine(name, failures);
                }
            };

    /** Numbers that are drawn. */
    RandomGenerator random();

    /** How many threads run at a time. */
    int processors();

    /** The time in nanoseconds, of any origin. */
    long nanoTime();

    /**
     * Parks the calling thread until it is unparked or interrupted, or the time is up. It may
     * return without any of these.
     *
     * @param nanos the most time in nanoseconds; {@link Long#MAX_VALUE} for no end
     */
    void park(Object blocker, long nanos);

    /** A thread that does not keep the process from ending; the caller starts it. */
    Thread unstarted(String name, Runnable work);

    /**
     * Threads that carry out calls; the caller closes them.
     *
     * @param name of the threads, before their number
     * @param failures told what calls throw
     */
    CallThreads callThreads(String name, FailureLog failures);
}
