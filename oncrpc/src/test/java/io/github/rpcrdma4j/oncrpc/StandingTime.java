package io.github.rpcrdma4j.oncrpc;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A time that passes only when a test says so. */
final class StandingTime implements SimulatedTime {
    long now;

    @Override
    public long nanoTime() {
        return now;
    }

    @Override
    public double chance() {
        return 0;
    }

    @Override
    public Condition condition(ReentrantLock lock) {
        return lock.newCondition();
    }

    @Override
    public boolean tryLock(ReentrantLock lock, long nanos) {
        return lock.tryLock();
    }
}
