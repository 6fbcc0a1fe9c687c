package io.github.rpcrdma4j.rpcrdma.fetched;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionMemory;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.connection.ReadQueue;
import io.github.rpcrdma4j.rpcrdma.fetched.options.FetchedCounter;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.xdr.Placements;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/** Fetches what replies expose, into memory of the pool. Guarded by the lock of the connection. */
public final class ReplyFetch {
    /**
     * What was fetched.
     *
     * @param message the reply without the items that were fetched apart
     * @param placements where those lie
     * @param bytes that were fetched
     * @param leases all memory of it; its owner gives it back
     */
    public record Fetched(
            MemorySegment message,
            Placements placements,
            long bytes,
            List<SegmentPool.Lease> leases) {
        public void release() {
            leases.forEach(SegmentPool.Lease::close);
        }

        /** Makes it the answer of a call. */
        public void deliver(PendingCall call, Counters counters) {
            leases.forEach(call::hold);
            counters.count(FetchedCounter.EXPOSED_REPLIES);
            counters.count(FetchedCounter.EXPOSED_REPLY_BYTES, bytes);
        }
    }

    private final ConnectionMemory memory;
    private final ReadQueue reads;

    public ReplyFetch(Endpoint endpoint) {
        this.memory = endpoint.memory();
        this.reads = new ReadQueue(endpoint);
    }

    /** The peer answers no more RDMA Reads at a time than that. */
    public void limit(int most) {
        reads.limit(most);
    }

    /**
     * Starts to fetch.
     *
     * @param readList what; may be empty
     * @param inline what of the reply is here already
     * @param buffer with that; belongs to what is fetched
     * @param ended told once when all Reads are over, and whether they succeeded: nothing of the
     *     peer reaches the memory any more
     */
    public void start(
            List<ReadSegment> readList,
            MemorySegment inline,
            SegmentPool.Lease buffer,
            BiConsumer<Fetched, Boolean> ended) {
        var leases = new ArrayList<>(List.of(buffer));
        var reply =
                ReadQueue.Message.of(
                        readList,
                        inline,
                        List.of(),
                        bytes -> {
                            var lease = memory.pool().lease(bytes);
                            leases.add(lease);
                            return lease;
                        },
                        memory);
        long bytes = 0;
        for (var request : reply.reads()) {
            bytes += request.bytes();
        }
        var fetched = new Fetched(reply.stream(), reply.placements(), bytes, leases);
        reads.post(reply.reads(), succeeded -> ended.accept(fetched, succeeded));
    }
}
