package io.github.rpcrdma4j.rpcrdma.rfc5666.fetched;

import io.github.rpcrdma4j.memory.BudgetExhaustedException;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionMemory;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.connection.ReadQueue;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall;
import io.github.rpcrdma4j.rpcrdma.rfc5666.options.FetchedCounter;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.xdr.Placements;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/** Fetches exposed replies into memory of the pool. Guarded by the lock of the connection. */
public final class ReplyFetch {
    /**
     * A fetched reply.
     *
     * @param message the reply without the items that were fetched apart
     * @param placements where those items lie
     * @param bytes the number of bytes fetched
     * @param leases all memory of the reply; the owner of this object gives it back
     */
    public record FetchedReply(
            MemorySegment message,
            Placements placements,
            long bytes,
            List<SegmentPool.Lease> leases) {
        public void release() {
            leases.forEach(SegmentPool.Lease::close);
        }

        /** Passes the memory to the call, and counts the reply as fetched. */
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

    /** Limits the number of RDMA Reads outstanding at a time to what the peer answers. */
    public void limit(int most) {
        reads.limit(most);
    }

    /**
     * Starts to fetch a reply.
     *
     * @param readList the segments to fetch; may be empty
     * @param inline the data of the reply that has already arrived
     * @param buffer the memory of {@code inline}; the fetched reply takes it over
     * @param ended called once all Reads are over, with the reply and whether they succeeded; the
     *     peer cannot reach the memory any more
     * @throws BudgetExhaustedException if there is no memory for the reply; nothing is fetched, and
     *     {@code buffer} is closed
     */
    public void start(
            List<ReadSegment> readList,
            MemorySegment inline,
            SegmentPool.Lease buffer,
            BiConsumer<FetchedReply, Boolean> ended) {
        var leases = new ArrayList<>(List.of(buffer));
        ReadQueue.Message reply;
        try {
            reply =
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
        } catch (RuntimeException | Error failure) {
            leases.forEach(SegmentPool.Lease::close);
            throw failure;
        }
        long bytes = 0;
        for (var request : reply.reads()) {
            bytes += request.bytes();
        }
        var fetched = new FetchedReply(reply.stream(), reply.placements(), bytes, leases);
        reads.post(reply.reads(), succeeded -> ended.accept(fetched, succeeded));
    }
}
