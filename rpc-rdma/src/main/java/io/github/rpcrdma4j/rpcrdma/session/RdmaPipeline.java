package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.CallOutcome;
import io.github.rpcrdma4j.oncrpc.CallPipeline;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.Timeouts;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import java.time.Duration;
import java.util.ArrayDeque;

/**
 * A pipeline of calls on a client connection. {@link #poll} delivers outcomes on its calling
 * thread, without the lock of the connection. That lock guards all state of the pipeline.
 */
final class RdmaPipeline implements CallPipeline {
    private final ConnectionLock lock;
    private final RequesterDriver driver;
    private final CallProtection protection;

    /** The calls with undelivered outcomes. Guarded by the lock, as are the fields below. */
    private final ArrayDeque<PipelinedCall> ended = new ArrayDeque<>();

    /** Objects of calls whose outcomes were delivered, for reuse. */
    private final ArrayDeque<PipelinedCall> spare = new ArrayDeque<>();

    /**
     * The newest unanswered call. Unanswered calls form a linked list, so that each is removed in
     * constant time.
     */
    private PipelinedCall newest;

    /** A lower bound of all deadlines. */
    private long earliest;

    /** The thread that waits for an answer; null if no thread waits. */
    private Thread waiting;

    /** How many calls have no delivered outcome. */
    private int outstanding;

    private boolean delivering;
    private boolean closed;

    RdmaPipeline(ConnectionLock lock, RequesterDriver driver, CallProtection protection) {
        this.lock = lock;
        this.driver = driver;
        this.protection = protection;
    }

    @Override
    public void submit(RpcCall call, Duration timeout, CallOutcome outcome) throws RpcException {
        long deadline = lock.nanoTime() + Timeouts.nanosOfCall(timeout);
        int xid = driver.xid(call.xid());
        var pending = driver.encode(call, protection, xid);
        lock.lock();
        try {
            if (closed) {
                driver.drop(pending);
                throw new IllegalStateException("the pipeline is closed");
            }
            var pipelined = spare.isEmpty() ? new PipelinedCall(this) : spare.removeLast();
            add(pipelined.begin(call, protection, xid, pending, timeout, deadline, outcome));
            driver.queue(call, pending);
            outstanding++;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the address of the peer, as text. */
    String peer() {
        return driver.peer();
    }

    private void add(PipelinedCall call) {
        if (newest == null) {
            earliest = call.deadline();
        } else {
            earliest = earliest - call.deadline() > 0 ? call.deadline() : earliest;
            newest.next = call;
        }
        call.previous = newest;
        newest = call;
    }

    /** Moves an answered call from the unanswered calls to those with undelivered outcomes. */
    void ended(PipelinedCall call) {
        if (call.next == null) {
            newest = call.previous;
        } else {
            call.next.previous = call.previous;
        }
        if (call.previous != null) {
            call.previous.next = call.next;
        }
        if (ended.isEmpty() && waiting != null) {
            RequesterDriver.wake(waiting);
        }
        ended.addLast(call);
    }

    @Override
    public boolean poll(Duration timeout) throws InterruptedException {
        driver.requireMayWait();
        long deadline = lock.nanoTime() + Timeouts.nanos(timeout);
        lock.lock();
        try {
            if (delivering) {
                throw new IllegalStateException("an outcome of this pipeline is being delivered");
            }
            driver.send();
            boolean last = false;
            while (hasNoOutcome() && newest != null && !last) {
                long left = deadline - lock.nanoTime();
                last = left <= 0;
                await(Math.max(0, left));
            }
            return deliver();
        } finally {
            driver.leave();
            lock.unlock();
        }
    }

    private boolean hasNoOutcome() {
        driver.takeAnswered();
        return ended.isEmpty();
    }

    private void await(long nanos) throws InterruptedException {
        waiting = Thread.currentThread();
        try {
            driver.await(Math.min(nanos, left(lock.nanoTime())));
        } finally {
            waiting = null;
        }
        expire(lock.nanoTime());
    }

    /** Returns how many nanoseconds pass until a call may have to be cancelled. */
    private long left(long now) {
        return Math.max(0, earliest - now);
    }

    /** Cancels the calls whose deadlines have passed. */
    private void expire(long now) {
        if (newest == null || left(now) > 0) {
            return;
        }
        long next = Long.MAX_VALUE;
        for (var call = newest; call != null; ) {
            var previous = call.previous;
            if (call.deadline() - now <= 0) {
                driver.cancel(call.pending(), driver.late(call.timeout()));
            } else {
                next = Math.min(next, call.deadline() - now);
            }
            call = previous;
        }
        earliest = now + next;
    }

    /**
     * Delivers the outcomes that are due. Calls that are started meanwhile are sent in a few
     * batches.
     *
     * @return whether an outcome was delivered
     */
    private boolean deliver() {
        int due = ended.size();
        int batchSize = Endpoint.batchSize(due);
        delivering = true;
        try {
            // An outcome may close the pipeline, which drops the other outcomes.
            for (int delivered = 1; delivered <= due && !closed; delivered++) {
                var call = ended.poll();
                outstanding--;
                lock.unlock();
                try {
                    call.deliver();
                } finally {
                    lock.lock();
                    call.end();
                    spare.addLast(call);
                }
                if (delivered % batchSize == 0) {
                    driver.send();
                }
            }
        } finally {
            delivering = false;
            driver.send();
        }
        return due > 0;
    }

    @Override
    public int outstanding() {
        lock.lock();
        try {
            return outstanding;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            outstanding = 0;
            while (newest != null) {
                driver.cancel(
                        newest.pending(), new RpcException.TimedOut("its pipeline was closed"));
            }
            for (var call = ended.poll(); call != null; call = ended.poll()) {
                call.release();
            }
            driver.send();
        } finally {
            lock.unlock();
        }
    }
}
