package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.oncrpc.record.ReceivedRecord;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The calls of one connection: a number may be in progress, and some more wait. The thread that
 * reads the connection goes on while calls wait, because a call in progress may wait for a reply
 * behind them. Thread-safe.
 */
final class CallTurns {
    /**
     * A call that arrived.
     *
     * @param message the call message; the code that ends the call releases its memory
     * @param arguments positioned after the header
     */
    record Arrived(CallHeader header, ReceivedRecord message, XdrReader arguments) {}

    private final int max;
    private final int waitingMax;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<Arrived> waiting = new ArrayDeque<>();
    private volatile int inProgress;

    /**
     * @param max the most calls in progress
     * @param waitingMax the most calls that wait; then the connection is not read any further
     */
    CallTurns(int max, int waitingMax) {
        this.max = max;
        this.waitingMax = waitingMax;
    }

    /**
     * Admits a call, after a wait if too many calls wait already.
     *
     * @return true if the call is in progress from now on; false if it waits until {@link #ended}
     *     returns it
     */
    boolean admit(Arrived call) throws InterruptedException {
        lock.lock();
        try {
            while (inProgress == max && waiting.size() == waitingMax) {
                changed.await();
            }
            if (inProgress == max) {
                waiting.addLast(call);
                return false;
            }
            inProgress++;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends a call in progress.
     *
     * @return the call that is in progress in its place; null if none waits
     */
    Arrived ended() {
        lock.lock();
        try {
            changed.signalAll();
            if (waiting.isEmpty()) {
                inProgress--;
                return null;
            }
            return waiting.removeFirst();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until no call is in progress. */
    void awaitNone() throws InterruptedException {
        lock.lock();
        try {
            while (inProgress > 0) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Takes out the waiting calls, which will not run. */
    List<Arrived> removeWaiting() {
        lock.lock();
        try {
            var all = new ArrayList<>(waiting);
            waiting.clear();
            changed.signalAll();
            return all;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether calls are in progress. It takes no lock. */
    boolean isBusy() {
        return inProgress > 0;
    }
}
