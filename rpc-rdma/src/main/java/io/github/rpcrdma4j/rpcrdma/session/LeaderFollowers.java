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
 * The threads that wait for answers on a connection. One of them is the leader: it polls, outside
 * the lock, and handles what completes for all of them. When the leader has its own answer it wakes
 * a follower to take over. So a lone caller reads its own reply, with no hand-off to another
 * thread. Guarded by the lock of the connection.
 */
final class LeaderFollowers implements RequesterDriver.Waiting {
    /** A thread in a hurry looks again after this time. */
    private static final long HURRY_NANOS = Duration.ofMillis(1).toNanos();

    private final ConnectionLock lock;
    private final CompletionQueue completionQueue;
    private final Endpoint endpoint;
    private final List<Completion> completions = new ArrayList<>();
    private final ArrayDeque<Thread> followers = new ArrayDeque<>();
    private Leadership state = Leadership.FREE;

    /** Leads for the sake of calls that come; null if none do. */
    private Thread listener;

    /**
     * @param completionQueue of the connection; closed with this
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
    public void stir() {
        try {
            act(Event.HURRIES, 0, HURRY_NANOS);
        } catch (InterruptedException _) {
            // The caller gives its call up anyhow.
            Thread.currentThread().interrupt();
            lock.pause();
        }
    }

    @Override
    public void leave() {
        act(Event.LEAVES);
    }

    /** The connection is closed: no thread polls any more. */
    void close() {
        act(Event.CLOSES);
        if (listener != null) {
            LockSupport.unpark(listener);
        }
    }

    /**
     * Starts a thread that leads whenever no other does, as long as the connection lives (RFC
     * 8167-5.4-2).
     */
    void listen() {
        listener = lock.threads().unstarted("rpcrdma-reverse", this::leadAlways);
        listener.start();
    }

    private void leadAlways() {
        lock.lock();
        try {
            while (!endpoint.isClosed()) {
                await(CompletionQueue.FOREVER);
            }
        } catch (InterruptedException _) {
            endpoint.close("the thread that listens was interrupted");
        } finally {
            lock.unlock();
        }
    }

    /** An event for which the thread does not wait. */
    private void act(Event event) {
        try {
            act(event, 0, 0);
        } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /**
     * @param pollNanos how long the thread polls at the most, if it leads
     * @param parkNanos how long it is parked at the most, if it follows
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
                // The followers with answers run first: polling may keep busy what carries them.
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
            lock.mistaken(broken);
        } finally {
            completions.clear();
        }
    }
}
