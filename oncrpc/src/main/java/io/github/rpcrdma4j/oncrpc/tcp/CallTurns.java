package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.oncrpc.record.ReceivedRecord;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
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

    /** The calls in progress, and those that wait, whose replies are not sent. */
    private final Set<Arrived> unanswered = Collections.newSetFromMap(new IdentityHashMap<>());

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
            unanswered.add(call);
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

    /** Notes that the reply to a call was sent. A call that was not admitted may have one too. */
    void answered(Arrived call) {
        lock.lock();
        try {
            unanswered.remove(call);
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether a client may wait for the reply to an admitted call. */
    boolean areAwaited() {
        lock.lock();
        try {
            return !unanswered.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends a call in progress, with or without a reply.
     *
     * @return the call that is in progress in its place; null if none waits
     */
    Arrived ended(Arrived call) {
        lock.lock();
        try {
            unanswered.remove(call);
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
            all.forEach(unanswered::remove);
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
