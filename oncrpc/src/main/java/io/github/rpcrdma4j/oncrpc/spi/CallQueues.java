package io.github.rpcrdma4j.oncrpc.spi;

import io.github.rpcrdma4j.oncrpc.Timeouts;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Calls that wait for a thread, a line for each client. The clients have turns, so one with
 * thousands of calls costs another a single one. Thread-safe.
 */
final class CallQueues {
    /**
     * A call that waits.
     *
     * @param client whose it is
     */
    record Call(Object client, Runnable work) {}

    /** Lines with calls; guarded by this, as is what follows. */
    private final Map<Object, ArrayDeque<Call>> lines = new HashMap<>();

    /** The clients that have one, in the order of their turns. */
    private final ArrayDeque<Object> turns = new ArrayDeque<>();

    /** The line that was empty last, for the next client. */
    private ArrayDeque<Call> spare = new ArrayDeque<>();

    private int waiting;
    private int idleThreads;

    /**
     * Adds a call at the end of its line.
     *
     * @return whether a thread is waiting for it
     */
    synchronized boolean add(Call call) {
        var line = lines.get(call.client);
        if (line == null) {
            line = spare == null ? new ArrayDeque<>() : spare;
            spare = null;
            lines.put(call.client, line);
            turns.addLast(call.client);
        }
        line.addLast(call);
        waiting++;
        if (idleThreads > 0) {
            notify();
        }
        return idleThreads >= waiting;
    }

    /** Whether no call waits. */
    synchronized boolean isEmpty() {
        return waiting == 0;
    }

    /** Takes the next call; null if there is none. */
    synchronized Call poll() {
        var client = turns.pollFirst();
        if (client == null) {
            return null;
        }
        var line = lines.get(client);
        var call = line.removeFirst();
        waiting--;
        if (line.isEmpty()) {
            lines.remove(client);
            spare = line;
        } else {
            turns.addLast(client);
        }
        return call;
    }

    /**
     * Takes the next call when there is one.
     *
     * @return null if there was none for so long
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
