package io.github.rpcrdma4j.oncrpc;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The clock and the waits of a simulation, for a {@link ReconnectingRpcClient}. Thread-safe. */
public interface SimulatedTime {
    /** Returns the time in nanoseconds. */
    long nanoTime();

    /** Returns a random number from 0 (inclusive) to 1 (exclusive). */
    double chance();

    /** Returns a new condition of a lock. */
    Condition condition(ReentrantLock lock);

    /** Takes a lock. Returns false if it was not free in so many nanoseconds. */
    boolean tryLock(ReentrantLock lock, long nanos) throws InterruptedException;

    /** Connects for the first time, with one try. */
    default ReconnectingRpcClient connect(Connector connector, Duration retry)
            throws RpcException, InterruptedException {
        return ReconnectingRpcClient.connect(connector, retry, new OfClient(this));
    }

    /** The same, as a client sees it. */
    record OfClient(SimulatedTime time) implements ReconnectingTime {
        @Override
        public long nanoTime() {
            return time.nanoTime();
        }

        @Override
        public double chance() {
            return time.chance();
        }

        @Override
        public Condition condition(ReentrantLock lock) {
            return time.condition(lock);
        }

        @Override
        public boolean tryLock(ReentrantLock lock, long nanos) throws InterruptedException {
            return time.tryLock(lock, nanos);
        }
    }
}
