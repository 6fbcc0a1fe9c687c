package io.github.rpcrdma4j.rpcrdma.connect;

import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.WorkRequest;
import io.github.rpcrdma4j.xdr.SegmentPool;
import java.util.ArrayDeque;
import java.util.List;

/**
 * A queue pair with its posted receives and a send queue that never overflows: batches that do not
 * fit yet wait their turn, in order.
 *
 * <p>Not thread-safe: the owner holds one lock around every call, {@link #close} included.
 */
public final class Endpoint {
    /** Work requests that may be posted and not completed. */
    public static final int SEND_QUEUE_SIZE = 2048;

    /** The most work requests of one batch. */
    public static final int BATCH_MAX = SEND_QUEUE_SIZE / 2;

    /** What is told when a batch has ended; called once, with the owner's lock held. */
    public interface Ending {
        /**
         * @param succeeded false if the connection was lost before all of it was done
         */
        void ended(boolean succeeded);
    }

    private static final class Batch {
        final List<WorkRequest> requests;
        final Ending ending;
        int left;

        Batch(List<WorkRequest> requests, Ending ending) {
            this.requests = requests;
            this.ending = ending;
            this.left = requests.size();
        }
    }

    private final QueuePair queuePair;
    private final SegmentPool pool;
    private final int receiveBytes;
    private final ArrayDeque<SegmentPool.Lease> receives = new ArrayDeque<>();
    private final ArrayDeque<Batch> posted = new ArrayDeque<>();
    private final ArrayDeque<Batch> waiting = new ArrayDeque<>();
    private int slots = SEND_QUEUE_SIZE;
    private boolean closed;

    /**
     * @param receiveBytes the size of every posted receive, in octets
     */
    public Endpoint(QueuePair queuePair, SegmentPool pool, int receiveBytes) {
        this.queuePair = queuePair;
        this.pool = pool;
        this.receiveBytes = receiveBytes;
    }

    public QueuePair queuePair() {
        return queuePair;
    }

    public boolean isClosed() {
        return closed;
    }

    /** Posts one more receive, with memory of the pool. */
    public void postReceive() {
        if (closed || queuePair.state() == QueuePair.State.ERROR) {
            return;
        }
        var buffer = pool.lease(receiveBytes);
        receives.addLast(buffer);
        try {
            queuePair.postReceive(0, buffer.segment());
        } catch (IllegalStateException lost) {
            // The queue pair failed in between; its completions will say so.
            if (queuePair.state() != QueuePair.State.ERROR) {
                throw lost;
            }
            receives.removeLast();
            buffer.close();
        }
    }

    /** How many receives stand posted. */
    public int postedReceives() {
        return receives.size();
    }

    /**
     * Takes the buffer of a receive that completed.
     *
     * @return the buffer, which the caller owns now
     */
    public SegmentPool.Lease takeReceived() {
        return receives.removeFirst();
    }

    /**
     * Posts work requests that belong together, now or when there is room.
     *
     * @param ending told when the last of them has completed
     * @throws IllegalArgumentException if there are more than {@link #BATCH_MAX}
     */
    public void post(List<WorkRequest> requests, Ending ending) {
        if (requests.isEmpty() || requests.size() > BATCH_MAX) {
            throw new IllegalArgumentException("not a size for a batch: " + requests.size());
        }
        if (closed) {
            ending.ended(false);
            return;
        }
        waiting.addLast(new Batch(requests, ending));
        postWaiting();
    }

    private void postWaiting() {
        while (!waiting.isEmpty() && waiting.getFirst().left <= slots) {
            var batch = waiting.removeFirst();
            slots -= batch.left;
            posted.addLast(batch);
            queuePair.post(batch.requests);
        }
    }

    /** Accounts for a completion of anything but a receive. */
    public void completed(Completion completion) {
        if (closed || !completion.succeeded()) {
            // What was posted ends in close(): a queue pair never lives on after a failure.
            return;
        }
        slots++;
        var batch = posted.getFirst();
        if (--batch.left == 0) {
            posted.removeFirst();
            batch.ending.ended(true);
        }
        postWaiting();
    }

    /** Closes the queue pair and ends every batch and every receive. */
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        queuePair.close();
        receives.forEach(SegmentPool.Lease::close);
        receives.clear();
        end(posted);
        end(waiting);
    }

    private static void end(ArrayDeque<Batch> batches) {
        while (!batches.isEmpty()) {
            batches.removeFirst().ending.ended(false);
        }
    }
}
