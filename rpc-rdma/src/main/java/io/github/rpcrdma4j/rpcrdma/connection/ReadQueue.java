package io.github.rpcrdma4j.rpcrdma.connection;

import io.github.rpcrdma4j.verbs.WorkRequest;
import java.util.ArrayDeque;
import java.util.List;

/**
 * The RDMA Reads of an endpoint, no more at a time than the peer said that it answers (RFC
 * 5666-6.2-6). Guarded by the lock of the endpoint.
 */
public final class ReadQueue {
    private static final class Batch {
        final List<WorkRequest> reads;
        final Endpoint.Ending ending;
        int posted;
        int done;
        boolean failed;

        Batch(List<WorkRequest> reads, Endpoint.Ending ending) {
            this.reads = reads;
            this.ending = ending;
        }

        void fail() {
            if (!failed) {
                failed = true;
                ending.ended(false);
            }
        }
    }

    private final Endpoint endpoint;
    private final ArrayDeque<Batch> waiting = new ArrayDeque<>();
    private int max = Integer.MAX_VALUE;
    private int active;

    /** Of a peer that said nothing: the provider keeps to what was agreed on below. */
    public ReadQueue(Endpoint endpoint) {
        this.endpoint = endpoint;
    }

    /**
     * From now on.
     *
     * @param most RDMA Reads at a time; at least 1
     */
    public void limit(int most) {
        max = most;
    }

    /**
     * Posts RDMA Reads that belong together, now or when there is room.
     *
     * @param reads may be none
     * @param ending told when the last of them has completed; at once if there is none
     */
    public void post(List<WorkRequest> reads, Endpoint.Ending ending) {
        if (reads.isEmpty()) {
            ending.ended(true);
            return;
        }
        if (max == Integer.MAX_VALUE) {
            endpoint.post(reads, ending);
            return;
        }
        waiting.addLast(new Batch(reads, ending));
        postWaiting();
    }

    private void postWaiting() {
        while (!waiting.isEmpty() && active < max) {
            var batch = waiting.getFirst();
            int count = Math.min(max - active, batch.reads.size() - batch.posted);
            var some = batch.reads.subList(batch.posted, batch.posted + count);
            batch.posted += count;
            if (batch.posted == batch.reads.size()) {
                waiting.removeFirst();
            }
            active += count;
            endpoint.post(
                    some,
                    new Endpoint.Ending() {
                        @Override
                        public void ended(boolean succeeded) {
                            ReadQueue.this.ended(batch, count, succeeded);
                        }

                        @Override
                        public void refused() {
                            batch.ending.refused();
                        }
                    });
        }
    }

    private void ended(Batch batch, int count, boolean succeeded) {
        active -= count;
        if (!succeeded) {
            batch.fail();
            while (!waiting.isEmpty()) {
                waiting.removeFirst().fail();
            }
            return;
        }
        batch.done += count;
        if (batch.done == batch.reads.size()) {
            batch.ending.ended(true);
        }
        postWaiting();
    }
}
