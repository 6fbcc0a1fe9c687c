package io.github.rpcrdma4j.rpcrdma.session;

import static io.github.rpcrdma4j.testing.Eventually.await;

import io.github.rpcrdma4j.oncrpc.spi.CallThreads;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/** The threads of the machine, with a clock that a test sets, and with frequent patrols. */
final class ClockAhead implements Threads {
    private static final long PATROL_NANOS = Duration.ofMillis(10).toNanos();

    private final AtomicLong ahead = new AtomicLong();
    private final AtomicInteger patrols = new AtomicInteger();

    /** Sets the clock forward, and returns after a patrol that has begun since. */
    void passes(long nanos) {
        ahead.addAndGet(nanos);
        int before = patrols.get();
        // The first may have begun earlier.
        await(() -> patrols.get() >= before + 3);
    }

    @Override
    public RandomGenerator random() {
        return OF_MACHINE.random();
    }

    @Override
    public int processors() {
        return OF_MACHINE.processors();
    }

    @Override
    public long nanoTime() {
        return OF_MACHINE.nanoTime() + ahead.get();
    }

    @Override
    public void park(Object blocker, long nanos) {
        boolean isPatrol = Thread.currentThread().getName().equals("rpcrdma-patrol");
        if (isPatrol) {
            patrols.incrementAndGet();
        }
        OF_MACHINE.park(blocker, isPatrol ? Math.min(nanos, PATROL_NANOS) : nanos);
    }

    @Override
    public Thread unstarted(String name, Runnable work) {
        return OF_MACHINE.unstarted(name, work);
    }

    @Override
    public CallThreads callThreads(String name, FailureLog failures) {
        return OF_MACHINE.callThreads(name, failures);
    }
}
