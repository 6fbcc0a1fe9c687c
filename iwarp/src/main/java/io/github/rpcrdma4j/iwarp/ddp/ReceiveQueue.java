package io.github.rpcrdma4j.iwarp.ddp;

import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.software.SoftwareRegion;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** The posted receives, oldest first. Thread-safe. */
@SuppressWarnings("exports") // Only providers can use SoftwareRegion.
public final class ReceiveQueue {
    /** One posted receive. The object is reused after its completion. */
    public static final class Posted {
        private long workRequestId;
        private SoftwareRegion region;
        private long offset;
        private long length;

        private Posted() {}

        public long workRequestId() {
            return workRequestId;
        }

        /** Returns the region that contains the receive buffer. */
        public SoftwareRegion region() {
            return region;
        }

        /** Returns where the buffer starts in the region, in bytes. */
        public long offset() {
            return offset;
        }

        /** Returns the length of the buffer, in bytes. */
        public long length() {
            return length;
        }

        /** Returns the completion of this receive if it ends without a message. */
        public Completion failed(QueuePair queuePair, Completion.Status status) {
            return new Completion(
                    queuePair, workRequestId, Completion.Operation.RECEIVE, status, 0, false, 0);
        }
    }

    private final int capacity;
    private final ArrayDeque<Posted> queue = new ArrayDeque<>();
    private final ArrayDeque<Posted> spare = new ArrayDeque<>();
    private int outstanding;

    public ReceiveQueue(int capacity) {
        this.capacity = capacity;
    }

    /**
     * Posts a receive.
     *
     * @throws IllegalStateException if the queue is full
     */
    public synchronized void add(
            long workRequestId, SoftwareRegion region, long offset, long length) {
        if (outstanding == capacity) {
            throw new IllegalStateException("the receive queue is full: " + capacity);
        }
        outstanding++;
        var receive = spare.isEmpty() ? new Posted() : spare.removeLast();
        receive.workRequestId = workRequestId;
        receive.region = region;
        receive.offset = offset;
        receive.length = length;
        queue.addLast(receive);
    }

    /** Takes the oldest receive; null if none is posted. */
    public synchronized Posted take() {
        return queue.pollFirst();
    }

    /**
     * Records that a taken receive has completed. The caller must not use the object afterwards.
     */
    public synchronized void completed(Posted receive) {
        outstanding--;
        receive.region = null;
        spare.addLast(receive);
    }

    /** Takes all posted receives. */
    public synchronized List<Posted> drain() {
        var all = new ArrayList<>(queue);
        queue.clear();
        outstanding = 0;
        return all;
    }
}
