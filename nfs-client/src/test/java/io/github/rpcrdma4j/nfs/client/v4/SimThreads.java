package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.ReconnectingRpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.SimulatedTime;
import io.github.rpcrdma4j.rpcrdma.session.SteppedThreads;
import io.github.rpcrdma4j.sim.SimWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** The clock and the threads of clients in a simulated world: one thread runs at a time. */
final class SimThreads implements SessionThreads, SimulatedTime {
    /** How often a thread looks again whether a lock is free that it awaits for a time. */
    private static final long LOOK_NANOS = 1_000_000;

    private final SteppedThreads threads;

    SimThreads(SimWorld world) {
        threads = new SteppedThreads(world, 2);
    }

    /** Runs a thread, and all threads that it starts, until all have ended. */
    void run(Runnable work) {
        threads.run("simulation", work);
    }

    /** Returns where all threads are, for people. */
    String standing() {
        return threads.standing();
    }

    @Override
    public long nanoTime() {
        return threads.nanoTime();
    }

    @Override
    public double chance() {
        return threads.random().nextDouble();
    }

    @Override
    public void sleep(long nanos) throws InterruptedException {
        long end = nanoTime() + nanos;
        do {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            if (nanoTime() < end) {
                threads.park(this, end - nanoTime());
            }
        } while (nanoTime() < end);
    }

    /** Waits until something is so, or until a time has passed. */
    void await(BooleanSupplier wanted, long nanos) throws InterruptedException {
        threads.await(wanted, nanos);
    }

    @Override
    public Thread unstarted(String name, Runnable work) {
        return threads.unstarted(name, work);
    }

    @Override
    public ReconnectingRpcClient connect(Connector connector, Duration retry)
            throws RpcException, InterruptedException {
        return SimulatedTime.super.connect(connector, retry);
    }

    @Override
    public boolean tryLock(ReentrantLock lock, long nanos) throws InterruptedException {
        if (nanos == Long.MAX_VALUE) {
            lock.lockInterruptibly();
            return true;
        }
        long end = nanoTime() + nanos;
        while (!lock.tryLock()) {
            if (nanoTime() >= end) {
                return false;
            }
            sleep(LOOK_NANOS);
        }
        return true;
    }

    @Override
    public Condition condition(ReentrantLock lock) {
        return new OfLock(lock);
    }

    /** A condition whose timeouts are those of the world. */
    private final class OfLock implements Condition {
        private final ReentrantLock lock;
        private final List<Waiting> waiting = new ArrayList<>();

        OfLock(ReentrantLock lock) {
            this.lock = lock;
        }

        @Override
        public void await() throws InterruptedException {
            awaitNanos(Long.MAX_VALUE);
        }

        @Override
        public long awaitNanos(long nanos) throws InterruptedException {
            long end = nanos > Long.MAX_VALUE / 2 ? Long.MAX_VALUE : nanoTime() + nanos;
            var own = new Waiting(Thread.currentThread());
            waiting.add(own);
            lock.unlock();
            boolean isInterrupted = Thread.interrupted();
            try {
                while (!isInterrupted && !own.isSignalled && nanoTime() < end) {
                    threads.park(this, end == Long.MAX_VALUE ? Long.MAX_VALUE : end - nanoTime());
                    isInterrupted = Thread.interrupted();
                }
            } finally {
                lock.lock();
                waiting.remove(own);
            }
            if (isInterrupted) {
                throw new InterruptedException();
            }
            return end - nanoTime();
        }

        @Override
        public void signalAll() {
            waiting.forEach(
                    each -> {
                        each.isSignalled = true;
                        LockSupport.unpark(each.thread);
                    });
        }

        @Override
        public void signal() {
            signalAll();
        }

        @Override
        public boolean await(long time, TimeUnit unit) throws InterruptedException {
            return awaitNanos(unit.toNanos(time)) > 0;
        }

        @Override
        public void awaitUninterruptibly() {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean awaitUntil(Date deadline) {
            throw new UnsupportedOperationException();
        }
    }

    /** A thread that waits for a condition. */
    private static final class Waiting {
        final Thread thread;
        boolean isSignalled;

        Waiting(Thread thread) {
            this.thread = thread;
        }
    }
}
