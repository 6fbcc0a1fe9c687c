package io.github.rpcrdma4j.iwarp.ddp;

import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.software.SoftwareRegion;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** The posted receives, oldest first. Thread-safe. */
@SuppressWarnings("exports") // Regions of software are for providers alone, as this is.
public final class ReceiveQueue {
    /** One posted receive; when it has completed it becomes another. */
    public static final class Posted {
        private long workRequestId;
        private SoftwareRegion region;
        private long offset;
        private long length;

        private Posted() {}

        public long workRequestId() {
            return workRequestId;
        }

        /** What the buffer is a part of. */
        public SoftwareRegion region() {
            return region;
        }

        /** Where it starts there, in bytes. */
        public long offset() {
            return offset;
        }

        /** In bytes. */
        public long length() {
            return length;
        }

        /** Its end without a message. */
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

    /** A receive that was taken has completed; it is not looked at any more. */
    public synchronized void completed(Posted receive) {
        outstanding--;
        receive.region = null;
        spare.addLast(receive);
    }

    /** Takes all. */
    public synchronized List<Posted> drain() {
        var all = new ArrayList<>(queue);
        queue.clear();
        outstanding = 0;
        return all;
    }
}
