package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.spi.AttendedClock;
import io.github.rpcrdma4j.oncrpc.spi.CallThreads;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.util.random.RandomGenerator;

/**
 * A source of threads whose clock stands still while the server does not run. So a server awaits
 * nothing of its peers during that time.
 */
final class AttendedThreads implements Threads {
    private final Threads others;
    private final AttendedClock clock;

    /**
     * @param others the source of the ordinary clock, and of the threads
     */
    AttendedThreads(Threads others) {
        this.others = others;
        this.clock = new AttendedClock(others::nanoTime);
    }

    @Override
    public CallThreads callThreads(String name, FailureLog failures) {
        return others.callThreads(name, failures);
    }

    @Override
    public RandomGenerator random() {
        return others.random();
    }

    @Override
    public int processors() {
        return others.processors();
    }

    @Override
    public long nanoTime() {
        return clock.time();
    }

    @Override
    public void park(Object blocker, long nanos) {
        others.park(blocker, nanos);
    }

    @Override
    public Thread unstarted(String name, Runnable work) {
        return others.unstarted(name, work);
    }
}
