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
 * The RDMA Reads of an endpoint, no more at a time than the peer said that it answers (RFC
 * 5666-6.2-6). Guarded by the lock of the endpoint.
 */
public final class ReadQueue {
    /**
     * A message that has Read chunks, and what fetches it.
     *
     * @param stream the message without the items that are fetched apart: what came inline, or
     *     memory for the Position-Zero Read chunk
     * @param items how many lie apart
     * @param placements where those lie
     * @param reads the RDMA Reads to make; none if all chunks are empty
     */
    public record Message(
            MemorySegment stream, int items, Placements placements, List<WorkRequest> reads) {
        /**
         * @param readList may be empty
         * @param inline what followed the header
         * @param here items that came with it, and lie apart
         * @param leases gives memory to fetch into
         * @param memory of the connection
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
            for (var chunk : ReadChunk.of(readList)) {
                var sink = leases.apply(chunk.size());
                addReads(chunk, sink, memory, reads);
                // Of any length (RFC 8166-3.5.3-3).
                if (chunk.position() == 0) {
                    stream = sink.segment();
                } else {
                    items.add(new BulkItem(chunk.position(), sink.segment()));
                }
            }
            return new Message(
                    stream,
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

    /** RDMA Reads that belong together; they may be posted in several parts. */
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
            var part = reads.subList(posted, posted + count);
            posted += count;
            endpoint.post(part, new Part(this, count));
        }

        void fail() {
            if (!failed) {
                failed = true;
                ending.ended(false);
            }
        }
    }

    /** Some RDMA Reads of a batch that were posted together. */
    private final class Part implements Endpoint.Ending {
        private final Batch batch;
        private final int count;

        Part(Batch batch, int count) {
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

    /** Of a peer that said nothing: the provider keeps to what was agreed on below. */
    public ReadQueue(Endpoint endpoint) {
        this.endpoint = endpoint;
    }

    /**
     * Bounds the RDMA Reads that are posted from now on.
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
