package io.github.rpcrdma4j.rpcrdma.connection;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.verbs.QueuePair;
import java.util.ArrayDeque;

/** The posted receives of an endpoint, in order. Guarded by the lock of the connection. */
final class PostedReceives {
    private final ConnectionMemory memory;
    private final ArrayDeque<SegmentPool.Lease> receives = new ArrayDeque<>();
    private int receiveBytes;

    /** How many receives complete until no posted receive is shorter than new ones. */
    private int shortReceives;

    /** Whether {@link #grown} is to run when no shorter receive is left. */
    private boolean growing;

    private Runnable grown;

    /**
     * @param receiveBytes the size of every receive, in bytes
     */
    PostedReceives(ConnectionMemory memory, int receiveBytes) {
        this.memory = memory;
        this.receiveBytes = receiveBytes;
    }

    /** Grows later receives like {@link Endpoint#growReceives}. */
    void grow(int bytes, Runnable done) {
        receiveBytes = Math.max(receiveBytes, bytes);
        grown = done;
        growing = true;
        shortReceives = 0;
        int index = 0;
        for (var receive : receives) {
            index++;
            if (receive.length() < bytes) {
                shortReceives = index;
            }
        }
    }

    /** Posts one more receive, with memory of the pool. */
    void post() {
        post(memory.pool().lease(receiveBytes));
    }

    /** Posts a receive with the memory of a completed one, or with longer memory. */
    void post(SegmentPool.Lease buffer) {
        if (buffer.length() < receiveBytes) {
            buffer.close();
            post();
            return;
        }
        receives.addLast(buffer);
        try {
            memory.postReceive(buffer);
        } catch (IllegalStateException lost) {
            // The queue pair failed in between; its completions will report that.
            if (memory.queuePair().state() != QueuePair.State.ERROR) {
                throw lost;
            }
            receives.removeLast();
            buffer.close();
        }
    }

    /** Removes the oldest receive, which has completed, and returns its memory. */
    SegmentPool.Lease complete() {
        shortReceives = Math.max(0, shortReceives - 1);
        return receives.removeFirst();
    }

    /** Notes that the message of a completed receive was handled. */
    void handled() {
        if (growing && shortReceives == 0) {
            growing = false;
            grown.run();
        }
    }

    int size() {
        return receives.size();
    }

    boolean isEmpty() {
        return receives.isEmpty();
    }

    /** Frees the memory of all receives at the end of the connection. */
    void close() {
        receives.forEach(SegmentPool.Lease::close);
        receives.clear();
    }
}
