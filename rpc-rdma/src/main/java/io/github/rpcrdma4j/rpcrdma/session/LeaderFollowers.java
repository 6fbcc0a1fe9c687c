package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.session.Leadership.Event;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * The threads that wait for answers on a connection. One of them is the leader: it polls without
 * the lock, and handles completions for all of them. When the leader has its own answer, it wakes a
 * follower to take over. A lone caller therefore reads its own reply, without a switch to another
 * thread. Guarded by the lock of the connection.
 */
final class LeaderFollowers implements RequesterDriver.Waiter {
    /** The work of the listener. Its methods are called with the lock of the connection held. */
    interface Listening {
        /**
         * Waits until there may be something to deliver, or completions were handled.
         *
         * @throws InterruptedException if the thread is interrupted
         */
        void await() throws InterruptedException;

        /** Delivers what is due. It may release the lock meanwhile. */
        void deliver();

        /** Returns whether nothing is to be delivered now or later. */
        boolean isEmpty();
    }

    /** How long a follower waits in {@link #processQuiet}. */
    private static final long HURRY_NANOS = Duration.ofMillis(1).toNanos();

    private final ConnectionLock lock;
    private final CompletionQueue completionQueue;
    private final Endpoint endpoint;
    private final List<Completion> completions = new ArrayList<>();
    private final ArrayDeque<Thread> followers = new ArrayDeque<>();
    private Leadership state = Leadership.FREE;

    /** The thread that leads for calls of the server; null if the server may not call. */
    private Thread listener;

    /**
     * @param completionQueue the completion queue of the connection; this object closes it
     */
    LeaderFollowers(ConnectionLock lock, CompletionQueue completionQueue, Endpoint endpoint) {
        this.lock = lock;
        this.completionQueue = completionQueue;
        this.endpoint = endpoint;
    }

    @Override
    public void await(long nanos) throws InterruptedException {
        act(Event.WAITS, nanos, nanos);
    }

    @Override
    public void processQuiet() {
        try {
            act(Event.HURRIES, 0, HURRY_NANOS);
        } catch (InterruptedException _) {
            // The caller is giving up its call.
            Thread.currentThread().interrupt();
            lock.pause();
        }
    }

    @Override
    public void leave() {
        act(Event.LEAVES);
    }

    /** Stops polling after the end of the connection. */
    void close() {
        act(Event.CLOSES);
        if (listener != null) {
            LockSupport.unpark(listener);
        }
    }

    /**
     * Starts a thread that leads whenever no other thread does, until the connection ends (RFC
     * 8167-5.4-2).
     *
     * @param listening what the thread does with its time
     */
    void listen(Listening listening) {
        listener = lock.threads().unstarted("rpcrdma-reverse", () -> leadAlways(listening));
        listener.start();
    }

    private void leadAlways(Listening listening) {
        lock.lock();
        try {
            // Other threads may have handled replies before this one ran.
            listening.deliver();
            while (!endpoint.isClosed() || !listening.isEmpty()) {
                awaitNext(listening);
                listening.deliver();
            }
        } catch (InterruptedException _) {
            endpoint.close("the thread that listens was interrupted");
            listening.deliver();
        } finally {
            lock.unlock();
        }
    }

    /** Waits like {@link Listening#await}. An unexpected exception closes the connection. */
    private void awaitNext(Listening listening) throws InterruptedException {
        try {
            listening.await();
        } catch (RuntimeException | Error broken) {
            // Without this thread, nothing would end the calls that were begun or are begun later.
            lock.internalError(broken);
        }
    }

    /** Wakes the listener, because it has something to deliver. */
    void wakeListener() {
        RequesterDriver.wake(listener);
    }

    /** Makes the listener wait anew, because it must wait for less time. */
    void awaitAgain() {
        completionQueue.wakeup();
        wakeListener();
    }

    /** Takes a step for an event that needs no waiting. */
    private void act(Event event) {
        try {
            act(event, 0, 0);
        } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /**
     * Takes a step for an event, and polls or parks if the step says so.
     *
     * @param pollNanos how long the thread polls at most, if it leads
     * @param parkNanos how long the thread is parked at most, if it follows
     */
    private void act(Event event, long pollNanos, long parkNanos) throws InterruptedException {
        var step = state.on(event);
        state = step.next();
        var actions = step.actions();
        for (int i = 0; i < actions.size(); i++) {
            switch (actions.get(i)) {
                case LEAD -> lead(pollNanos);
                case FOLLOW -> follow(parkNanos);
                case HANDLE -> handleCompletions();
                case WAKE_FOLLOWER -> wakeFollower();
                case WAKE_LEADER -> completionQueue.wakeup();
                case CLOSE_QUEUE -> completionQueue.close();
            }
        }
    }

    private void follow(long nanos) throws InterruptedException {
        var thread = Thread.currentThread();
        if (thread == listener) {
            lock.park(nanos);
            return;
        }
        followers.addLast(thread);
        try {
            lock.park(nanos);
        } finally {
            followers.remove(thread);
        }
    }

    private void wakeFollower() {
        if (!followers.isEmpty()) {
            LockSupport.unpark(followers.getFirst());
        } else if (listener != null) {
            LockSupport.unpark(listener);
        }
    }

    private void lead(long nanos) throws InterruptedException {
        boolean yields = !followers.isEmpty() && Thread.currentThread().isVirtual();
        lock.unlock();
        try {
            if (yields) {
                // Followers with answers run first, because polling may occupy their carrier
                // thread.
                Thread.yield();
            }
            completionQueue.poll(completions, nanos);
        } finally {
            lock.lock();
            act(Event.RETURNS);
        }
    }

    private void handleCompletions() {
        try {
            endpoint.completed(completions, 0, completions.size());
        } catch (RuntimeException | Error broken) {
            lock.internalError(broken);
        } finally {
            completions.clear();
        }
    }
}
