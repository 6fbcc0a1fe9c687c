package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.spi.CallThreads;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * A source of threads that runs calls on an executor.
 *
 * @param others the source of clock and other threads
 * @param executor the executor, which needs a thread for each call; the caller closes it
 */
public record ExecutorThreads(Threads others, Executor executor) implements Threads {
    @Override
    public CallThreads callThreads(String name, FailureLog failures) {
        return CallThreads.on(executor);
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
        return others.nanoTime();
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
