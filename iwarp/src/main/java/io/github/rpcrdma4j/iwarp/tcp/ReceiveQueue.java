package io.github.rpcrdma4j.iwarp.tcp;

import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.QueuePair;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** The posted receives, oldest first. Thread-safe. */
final class ReceiveQueue {
    /** One posted receive. */
    record Posted(long workRequestId, MemorySegment buffer) {
        /** Its end without a message. */
        Completion failed(QueuePair queuePair, Completion.Status status) {
            return new Completion(
                    queuePair, workRequestId, Completion.Operation.RECEIVE, status, 0, false, 0);
        }
    }

    private final int capacity;
    private final ArrayDeque<Posted> queue = new ArrayDeque<>();
    private int outstanding;

    ReceiveQueue(int capacity) {
        this.capacity = capacity;
    }

    /**
     * @throws IllegalStateException if the queue is full
     */
    synchronized void add(Posted receive) {
        if (outstanding == capacity) {
            throw new IllegalStateException("the receive queue is full: " + capacity);
        }
        outstanding++;
        queue.addLast(receive);
    }

    /** Takes the oldest receive; null if none is posted. */
    synchronized Posted take() {
        return queue.pollFirst();
    }

    /** A receive that was taken has completed. */
    synchronized void completed() {
        outstanding--;
    }

    /** Takes all. */
    synchronized List<Posted> drain() {
        var all = new ArrayList<>(queue);
        queue.clear();
        outstanding = 0;
        return all;
    }
}
