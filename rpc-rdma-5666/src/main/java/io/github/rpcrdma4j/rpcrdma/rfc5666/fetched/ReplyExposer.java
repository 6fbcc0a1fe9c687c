package io.github.rpcrdma4j.rpcrdma.rfc5666.fetched;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionMemory;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.ExposedMemory;
import io.github.rpcrdma4j.rpcrdma.connection.MessageSends.OutgoingSend;
import io.github.rpcrdma4j.rpcrdma.responder.ReplyPlan;
import io.github.rpcrdma4j.rpcrdma.responder.ResponderProfile.Outgoing;
import io.github.rpcrdma4j.rpcrdma.responder.ServedCall;
import io.github.rpcrdma4j.rpcrdma.rfc5666.options.FetchedCounter;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Registers replies, or parts of them, so that their requester can fetch them.
 *
 * <p>Tests: {@code ExposedReplyMemoryTest}.
 */
public final class ReplyExposer {
    private final ConnectionMemory memory;
    private final Counters counters;
    private final ExposedReplyMemory exposures;
    private final long segmentMax;

    /**
     * @param memory registers memory for this connection alone (RPR-5.2.1-1)
     * @param exposures keeps the registered memory
     * @param segmentMax the longest segment to offer, in bytes
     */
    public ReplyExposer(
            ConnectionMemory memory,
            Counters counters,
            ExposedReplyMemory exposures,
            long segmentMax) {
        this.memory = memory;
        this.counters = counters;
        this.exposures = exposures;
        this.segmentMax = segmentMax;
    }

    /**
     * Exposes a reply and takes over its memory from the call. If this throws before that, the call
     * keeps its results and nothing stays exposed.
     *
     * @param call a call whose reply {@linkplain ExposedReplyMemory#mayExpose may be exposed}
     * @param placed the results that still go to Write chunks (RPR-4.1-4)
     * @param header makes the header of the reply from its chunk lists. It is called once all
     *     memory is registered, so before anything is sent (RPR-4.1.1-3).
     */
    public Outgoing expose(
            ServedCall call,
            ReplyPlan.Placed placed,
            ReadReplyPlan plan,
            Function<ChunkLists, TransportHeader> header) {
        var exposed = new ExposedMemory(memory, segmentMax);
        var copies = new ArrayList<SegmentPool.Lease>();
        // The copy of a whole reply replaces its results, unless some are still to be written.
        boolean isCopied = plan.whole() && placed.writes().isEmpty();
        List<ReadSegment> readList;
        ExposedReplyMemory.Exposure exposure;
        var results = call.reply();
        try {
            readList = open(call, plan, exposed, copies);
            exposure =
                    exposures.expose(
                            call.xid(),
                            exposed,
                            () -> {
                                copies.forEach(SegmentPool.Lease::close);
                                if (!isCopied) {
                                    results.close();
                                }
                            });
        } catch (RuntimeException | Error failure) {
            exposed.fence();
            copies.forEach(SegmentPool.Lease::close);
            throw failure;
        }
        // The exposure owns the results from here on, and releases them if the connection is lost.
        call.takeReply();
        if (isCopied) {
            results.close();
        }
        count(readList);
        // RPR-4.1-5.
        var unused = call.chunks().replyChunk().map(WriteChunk::unused);
        var replyHeader = header.apply(new ChunkLists(readList, placed.writeList(), unused));
        exposure.announced(replyHeader);
        var inline = plan.whole() ? List.<MemorySegment>of() : plan.pieces().segments();
        return new Outgoing(
                placed.writes(), List.of(new OutgoingSend(replyHeader, inline)), exposure::sent);
    }

    /** Returns the number of segments that so many bytes take. */
    public int segments(long bytes) {
        return (int) Math.ceilDiv(bytes, segmentMax);
    }

    /** Registers the data to be fetched, and returns its Read list. */
    private List<ReadSegment> open(
            ServedCall call,
            ReadReplyPlan plan,
            ExposedMemory exposed,
            List<SegmentPool.Lease> copies) {
        var readList = new ArrayList<ReadSegment>();
        if (plan.whole()) {
            // The stream without the results that go to Write chunks (RPR-4.1-3).
            var copy = memory.pool().lease(plan.pieces().length());
            copies.add(copy);
            plan.pieces().copyTo(copy.segment());
            open(0, copy.segment(), exposed, readList);
        }
        var items = call.reply().bulkItems();
        for (int i = plan.items().nextSetBit(0); i >= 0; i = plan.items().nextSetBit(i + 1)) {
            // The position is that of the data in the message; only the data is fetched (RFC
            // 5666-3.4-3, 5666-3.4-11).
            var data = fit(items.get(i).data(), copies);
            open((int) items.get(i).position(), data, exposed, readList);
        }
        return readList;
    }

    private void count(List<ReadSegment> readList) {
        counters.count(FetchedCounter.EXPOSED_REPLIES);
        for (var read : readList) {
            counters.count(FetchedCounter.EXPOSED_REPLY_BYTES, read.target().size());
        }
    }

    private static void open(
            int position, MemorySegment data, ExposedMemory exposed, List<ReadSegment> readList) {
        for (var segment : exposed.expose(data, Access.REMOTE_READ)) {
            readList.add(new ReadSegment(position, segment));
        }
    }

    private MemorySegment fit(MemorySegment data, List<SegmentPool.Lease> copies) {
        if (ProtectionDomain.canRegister(data)) {
            return data;
        }
        var copy = memory.pool().lease(data.byteSize());
        copies.add(copy);
        copy.segment().copyFrom(data);
        return copy.segment();
    }
}
