package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.oncrpc.record.ReceivedRecord;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.time.Duration;
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
 * behind them. A call that hangs takes the turn of no other. Thread-safe.
 */
final class CallTurns {
    /** A program that has carried out a call for so long hangs. */
    static final long HANGS_NANOS = Duration.ofSeconds(1).toNanos();

    /** A call that arrived. */
    static final class Arrived {
        private final CallHeader header;
        private final ReceivedRecord message;
        private final XdrReader arguments;

        /** Whether its program carries it out now. Set before and after, by its thread. */
        private volatile boolean isCarriedOut;

        private volatile long begun;

        /** Whether it hangs, or did. Guarded by the lock of the turns, until the call has ended. */
        private boolean isHanging;

        /**
         * @param message the call message; the code that ends the call releases its memory
         * @param arguments positioned after the header
         */
        Arrived(CallHeader header, ReceivedRecord message, XdrReader arguments) {
            this.header = header;
            this.message = message;
            this.arguments = arguments;
        }

        CallHeader header() {
            return header;
        }

        ReceivedRecord message() {
            return message;
        }

        XdrReader arguments() {
            return arguments;
        }

        /**
         * Notes that the program begins to carry out the call.
         *
         * @param now the time by the clock of the server
         */
        void begin(long now) {
            begun = now;
            isCarriedOut = true;
        }

        /** Notes that the program has carried out the call. */
        void carriedOut() {
            isCarriedOut = false;
        }

        private boolean hangs(long now) {
            return isCarriedOut && now - begun >= HANGS_NANOS;
        }

        /** Returns whether a call that has ended was one that hangs. */
        boolean wasHanging() {
            return isHanging;
        }
    }

    /** Decides whether one more call counts as one that hangs. */
    interface HangingCalls {
        /** Counts one as hanging that counted as in progress. Returns false if there are many. */
        boolean count();
    }

    private final int max;
    private final int waitingMax;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<Arrived> waiting = new ArrayDeque<>();

    /** The calls in progress, and those that wait, whose replies are not sent. */
    private final Set<Arrived> unanswered = Collections.newSetFromMap(new IdentityHashMap<>());

    /** The calls in progress that do not hang. */
    private volatile int inProgress;

    private final Set<Arrived> running = Collections.newSetFromMap(new IdentityHashMap<>());

    /** The calls in progress that hang. */
    private volatile int hanging;

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
            running.add(call);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Finds the calls that hang. They take no turns any more: others begin in their places.
     *
     * @param now the time by the clock of the server
     * @param counted is asked for each with the lock of the turns
     * @return the waiting calls that are in progress from now on
     */
    List<Arrived> passOver(long now, HangingCalls counted) {
        if (inProgress == 0) {
            return List.of();
        }
        lock.lock();
        try {
            var begin = new ArrayList<Arrived>();
            for (var each : List.copyOf(running)) {
                if (each.isHanging || !each.hangs(now) || !counted.count()) {
                    continue;
                }
                each.isHanging = true;
                hanging++;
                inProgress--;
                changed.signalAll();
                if (!waiting.isEmpty()) {
                    inProgress++;
                    running.add(waiting.getFirst());
                    begin.add(waiting.removeFirst());
                }
            }
            return begin;
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
     * @return the call that is in progress in its place; null if none waits, or if the call was one
     *     that hangs
     */
    Arrived ended(Arrived call) {
        lock.lock();
        try {
            unanswered.remove(call);
            running.remove(call);
            changed.signalAll();
            if (call.isHanging) {
                hanging--;
                return null;
            }
            if (waiting.isEmpty()) {
                inProgress--;
                return null;
            }
            running.add(waiting.getFirst());
            return waiting.removeFirst();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until no call is in progress. */
    void awaitNone() throws InterruptedException {
        lock.lock();
        try {
            while (isBusy()) {
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
        return inProgress > 0 || hanging > 0;
    }
}
