package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * The turn to poll a connection. Of the threads that wait for answers one is the leader: it polls,
 * outside the lock, and handles what completes for all of them. When the leader has its own answer
 * it wakes a follower to take over. So a lone caller reads its own reply, with no hand-off to
 * another thread. Guarded by the lock of the connection.
 */
final class PollingTurn implements CallingSide.Waiting {
    private final ConnectionLock lock;
    private final CompletionQueue completionQueue;
    private final Endpoint endpoint;
    private final List<Completion> completions = new ArrayList<>();
    private final ArrayDeque<Thread> followers = new ArrayDeque<>();

    /** Null if nobody leads for the sake of calls that come. */
    private Thread listener;

    private boolean polling;
    private boolean closed;

    /**
     * @param completionQueue of the connection; closed with this
     */
    PollingTurn(ConnectionLock lock, CompletionQueue completionQueue, Endpoint endpoint) {
        this.lock = lock;
        this.completionQueue = completionQueue;
        this.endpoint = endpoint;
    }

    @Override
    public void await(long nanos) throws InterruptedException {
        if (polling) {
            var thread = Thread.currentThread();
            followers.addLast(thread);
            try {
                lock.park(nanos);
            } finally {
                followers.remove(thread);
            }
        } else {
            lead(nanos);
        }
    }

    @Override
    public void stir() {
        if (polling) {
            completionQueue.wakeup();
            lock.pause();
            return;
        }
        try {
            lead(0);
        } catch (InterruptedException _) {
            // Whoever calls this gives up anyhow.
            Thread.currentThread().interrupt();
            lock.pause();
        }
    }

    @Override
    public void leave() {
        if (polling) {
            return;
        }
        if (!followers.isEmpty()) {
            LockSupport.unpark(followers.getFirst());
        } else if (listener != null) {
            LockSupport.unpark(listener);
        }
    }

    /**
     * Has a thread lead whenever nobody else does, as long as the connection lives (RFC
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
                if (polling) {
                    lock.park(Long.MAX_VALUE);
                } else {
                    lead(CompletionQueue.FOREVER);
                }
            }
        } catch (InterruptedException _) {
            endpoint.close("the thread that listens was interrupted");
        } finally {
            lock.unlock();
        }
    }

    private void lead(long nanos) throws InterruptedException {
        polling = true;
        endpoint.flush();
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
            polling = false;
            handleCompletions();
        }
    }

    private void handleCompletions() {
        try {
            endpoint.completed(completions, 0, completions.size());
        } catch (RuntimeException | Error broken) {
            endpoint.close("internal error: " + broken);
            throw broken;
        } finally {
            completions.clear();
            if (closed) {
                completionQueue.close();
            }
        }
    }

    /** Nobody polls any more; the connection is closed. */
    void close() {
        closed = true;
        if (listener != null) {
            LockSupport.unpark(listener);
        }
        if (polling) {
            // The leader closes the queue when it comes back from it.
            completionQueue.wakeup();
        } else {
            completionQueue.close();
        }
    }
}
