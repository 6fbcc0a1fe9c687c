package io.github.rpcrdma4j.oncrpc.spi;

import io.github.rpcrdma4j.oncrpc.Timeouts;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The calls that wait for a thread, in one queue for each client. Threads take calls from the
 * clients in turn, so a client with thousands of calls delays another client's next call by one
 * call only. Thread-safe.
 */
final class CallQueues {
    /**
     * A waiting call.
     *
     * @param client the client that sent the call
     */
    record Call(Object client, Runnable work) {}

    /** The queues that are not empty, by client. Guarded by this, like the fields below. */
    private final Map<Object, ArrayDeque<Call>> queues = new HashMap<>();

    /** The clients with waiting calls, in the order of their turns. */
    private final ArrayDeque<Object> turns = new ArrayDeque<>();

    /** The queue that became empty last, for reuse by the next client. */
    private ArrayDeque<Call> spare = new ArrayDeque<>();

    private int waiting;
    private int idleThreads;

    /**
     * Adds a call at the end of its client's queue.
     *
     * @return whether an idle thread is available for the call
     */
    synchronized boolean add(Call call) {
        var queue = queues.get(call.client);
        if (queue == null) {
            queue = spare == null ? new ArrayDeque<>() : spare;
            spare = null;
            queues.put(call.client, queue);
            turns.addLast(call.client);
        }
        queue.addLast(call);
        waiting++;
        if (idleThreads > 0) {
            notify();
        }
        return idleThreads >= waiting;
    }

    /** Returns whether no call waits. */
    synchronized boolean isEmpty() {
        return waiting == 0;
    }

    /** Takes the next call. Returns null if there is none. */
    synchronized Call poll() {
        var client = turns.pollFirst();
        if (client == null) {
            return null;
        }
        var queue = queues.get(client);
        var call = queue.removeFirst();
        waiting--;
        if (queue.isEmpty()) {
            queues.remove(client);
            spare = queue;
        } else {
            turns.addLast(client);
        }
        return call;
    }

    /**
     * Takes the next call, and waits for one if there is none.
     *
     * @param most the longest wait
     * @return null if no call arrived in that time
     */
    synchronized Call poll(Duration most) throws InterruptedException {
        long deadline = System.nanoTime() + Timeouts.nanos(most);
        while (waiting == 0) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return null;
            }
            idleThreads++;
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } finally {
                idleThreads--;
            }
        }
        return poll();
    }
}
