package io.github.rpcrdma4j.rpcrdma.connection;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.chunk.ReadChunk;
import io.github.rpcrdma4j.rpcrdma.chunk.ReadChunkPlacements;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.verbs.WorkRequest;
import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.Placements;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;

/**
 * The queue of RDMA Reads of an endpoint. It posts no more at a time than the peer answers (RFC
 * 5666-6.2-6). Guarded by the lock of the endpoint.
 */
public final class ReadQueue {
    /**
     * A message with Read chunks, and the RDMA Reads that fetch them.
     *
     * @param stream the message without its separate items: the inline data, or memory for the
     *     Position-Zero Read chunk
     * @param chunks the Read chunks
     * @param items the number of separate items
     * @param placements the memory of those items
     * @param reads the RDMA Reads to post; none if all chunks are empty
     */
    public record Message(
            MemorySegment stream,
            List<ReadChunk> chunks,
            int items,
            Placements placements,
            List<WorkRequest> reads) {
        /**
         * Returns the message of a Read list, with leased memory for its chunks.
         *
         * @param readList the Read list; it may be empty
         * @param inline the data after the header
         * @param here separate items that arrived with the message
         * @param leases leases memory for a number of bytes to fetch
         * @param memory the memory of the connection
         */
        public static Message of(
                List<ReadSegment> readList,
                MemorySegment inline,
                List<BulkItem> here,
                LongFunction<SegmentPool.Lease> leases,
                ConnectionMemory memory) {
            var stream = inline;
            var items = new ArrayList<>(here);
            var reads = new ArrayList<WorkRequest>();
            var chunks = ReadChunk.of(readList);
            for (var chunk : chunks) {
                var sink = leases.apply(chunk.size());
                addReads(chunk, sink, memory, reads);
                // A long message may have any length (RFC 8166-3.5.3-3).
                if (chunk.position() == 0) {
                    stream = sink.segment();
                } else {
                    items.add(new BulkItem(chunk.position(), sink.segment()));
                }
            }
            return new Message(
                    stream,
                    chunks,
                    items.size(),
                    items.isEmpty() ? Placements.NONE : new ReadChunkPlacements(items),
                    reads);
        }

        private static void addReads(
                ReadChunk chunk,
                SegmentPool.Lease sink,
                ConnectionMemory memory,
                List<WorkRequest> reads) {
            long at = 0;
            for (var segment : chunk.segments()) {
                if (segment.size() > 0) {
                    reads.add(
                            new WorkRequest.Read(
                                    0,
                                    memory.element(sink, at, segment.size()),
                                    segment.handle(),
                                    segment.offset()));
                    at += segment.size();
                }
            }
        }
    }

    /** The RDMA Reads of one message. They may be posted in several batches. */
    private final class Batch {
        final List<WorkRequest> reads;
        final Endpoint.Ending ending;
        int posted;
        int done;
        boolean failed;

        Batch(List<WorkRequest> reads, Endpoint.Ending ending) {
            this.reads = reads;
            this.ending = ending;
        }

        void post(int count) {
            var next = reads.subList(posted, posted + count);
            posted += count;
            endpoint.post(next, new PostedReads(this, count));
        }

        void fail() {
            if (!failed) {
                failed = true;
                ending.ended(false);
            }
        }
    }

    /** Some RDMA Reads of a batch that were posted together. */
    private final class PostedReads implements Endpoint.Ending {
        private final Batch batch;
        private final int count;

        PostedReads(Batch batch, int count) {
            this.batch = batch;
            this.count = count;
        }

        @Override
        public void ended(boolean succeeded) {
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

        @Override
        public void refused() {
            batch.ending.refused();
        }
    }

    private final Endpoint endpoint;
    private final ArrayDeque<Batch> waiting = new ArrayDeque<>();
    private int max = Integer.MAX_VALUE;
    private int active;

    /**
     * Creates a queue without a limit of its own. The provider keeps to the limit that it
     * negotiated.
     */
    public ReadQueue(Endpoint endpoint) {
        this.endpoint = endpoint;
    }

    /**
     * Limits the RDMA Reads that are posted from now on.
     *
     * @param most the most RDMA Reads at a time; at least 1
     */
    public void limit(int most) {
        max = most;
    }

    /**
     * Posts the RDMA Reads of one message, now or when the limit allows it.
     *
     * @param reads the RDMA Reads; the list may be empty
     * @param ending called when the last of them has completed; at once if there is none
     */
    public void post(List<WorkRequest> reads, Endpoint.Ending ending) {
        if (reads.isEmpty()) {
            ending.ended(true);
        } else if (max == Integer.MAX_VALUE) {
            endpoint.post(reads, ending);
        } else {
            waiting.addLast(new Batch(reads, ending));
            postWaiting();
        }
    }

    private void postWaiting() {
        while (!waiting.isEmpty() && active < max) {
            var batch = waiting.getFirst();
            int left = batch.reads.size() - batch.posted;
            int count = Math.min(max - active, left);
            if (count == left) {
                waiting.removeFirst();
            }
            active += count;
            batch.post(count);
        }
    }
}
