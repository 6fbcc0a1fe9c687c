package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.dissect.ChunkReport.Instant;
import io.github.rpcrdma4j.dissect.Layer.ChunkUse;
import io.github.rpcrdma4j.dissect.TrackedChunk.OpenTransfer;
import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.iwarp.rdmap.ReadRequest;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The memory that one side of a connection offers in chunks, and the RDMA operations of the other
 * side on it. Not thread-safe.
 */
final class OfferedMemory {
    /** The most open Read Requests; the Read Responses of further ones are not attributed. */
    private static final int READS_MAX = 1 << 10;

    /** An offered segment. */
    private record Offer(TrackedCall call, int chunk, int segment) {
        private TrackedChunk tracked() {
            return call.chunks().get(chunk);
        }

        private ChunkUse use() {
            return new ChunkUse(call.xid(), chunk, tracked().kind(), segment);
        }
    }

    /** A Read Request without all of its response. */
    private record OpenRead(
            ReadRequest request, OpenTransfer transfer, Offer offer, long[] received) {}

    /** An RDMA Write whose last segment has not arrived. */
    private record OpenWrite(int stag, OpenTransfer transfer, Offer offer) {}

    /**
     * The result of one frame.
     *
     * @param use the chunk whose bytes the frame moves
     * @param fetched the chunk that the frame completes, and its call
     * @param finding the fault, if the access is not allowed
     */
    record MovedData(
            Optional<ChunkUse> use, Optional<FetchedChunk> fetched, Optional<Finding> finding) {
        static final MovedData NOTHING =
                new MovedData(Optional.empty(), Optional.empty(), Optional.empty());

        private static MovedData stray(String operation) {
            return new MovedData(
                    Optional.empty(), Optional.empty(), Optional.of(Rules.strayAccess(operation)));
        }

        private static MovedData of(Offer offer) {
            return new MovedData(Optional.of(offer.use()), Optional.empty(), Optional.empty());
        }
    }

    /** A chunk that was read completely. */
    record FetchedChunk(TrackedCall call, TrackedChunk chunk) {}

    private final Map<Integer, List<Offer>> offers = new HashMap<>();
    private final ArrayDeque<OpenRead> reads = new ArrayDeque<>();
    private OpenWrite write;

    /**
     * Offers chunks of a call.
     *
     * @param first the index of the first chunk to offer; all later ones are offered too
     */
    void offer(TrackedCall call, int first) {
        for (int chunk = first; chunk < call.chunks().size(); chunk++) {
            var segments = call.chunks().get(chunk).segments();
            for (int i = 0; i < segments.size(); i++) {
                offers.computeIfAbsent(segments.get(i).handle(), _ -> new ArrayList<>(1))
                        .add(new Offer(call, chunk, i));
            }
        }
    }

    /** Withdraws all memory that is offered for a call. */
    void withdraw(TrackedCall call) {
        for (var chunk : call.chunks()) {
            for (var segment : chunk.segments()) {
                var known = offers.get(segment.handle());
                if (known != null && known.removeIf(each -> each.call() == call)) {
                    offers.remove(segment.handle(), List.of());
                }
            }
        }
    }

    private Offer find(int handle, long offset, long length, boolean written) {
        for (var offer : offers.getOrDefault(handle, List.of()).reversed()) {
            var segment = offer.tracked().segments().get(offer.segment());
            long into = offset - segment.offset();
            if (offer.tracked().kind().isRead() != written
                    && into >= 0
                    && into + length <= segment.size()) {
                return offer;
            }
        }
        return null;
    }

    /** Processes a Read Request of the other side. */
    MovedData readRequest(ReadRequest request, Instant at) {
        long size = Integer.toUnsignedLong(request.size());
        if (size == 0) {
            return MovedData.NOTHING;
        }
        var offer = find(request.sourceStag(), request.sourceOffset(), size, false);
        if (offer == null) {
            return MovedData.stray("an RDMA Read");
        }
        if (reads.size() < READS_MAX) {
            var transfer = offer.tracked().read(offer.segment(), request.sourceOffset(), size, at);
            reads.addLast(new OpenRead(request, transfer, offer, new long[1]));
        }
        return MovedData.of(offer);
    }

    /** Processes a Read Response from this memory. */
    MovedData readResponse(DdpSegment.Tagged header, ByteBuffer payload, Instant at) {
        for (var read : reads) {
            var request = read.request();
            if (request.sinkStag() == header.stag()
                    && request.sinkOffset() + read.received()[0] == header.offset()) {
                read.received()[0] += payload.remaining();
                read.transfer().add(payload, header.isLast(), at);
                if (!header.isLast()) {
                    return MovedData.of(read.offer());
                }
                reads.remove(read);
                return new MovedData(
                        Optional.of(read.offer().use()), fetched(read.offer()), Optional.empty());
            }
        }
        return MovedData.NOTHING;
    }

    private static Optional<FetchedChunk> fetched(Offer offer) {
        var chunk = offer.tracked();
        return chunk.moved() < chunk.size() || !chunk.isEveryTransferWhole()
                ? Optional.empty()
                : Optional.of(new FetchedChunk(offer.call(), chunk));
    }

    /** Processes a segment of an RDMA Write by the other side. */
    MovedData written(DdpSegment.Tagged header, ByteBuffer payload, Instant at) {
        if (payload.remaining() == 0 && write == null) {
            // An empty Write moves no bytes; it only shows that the peer is there.
            return MovedData.NOTHING;
        }
        if (write == null
                || write.stag() != header.stag()
                || write.transfer().next() != header.offset()) {
            var offer = find(header.stag(), header.offset(), payload.remaining(), true);
            if (offer == null) {
                write = null;
                return MovedData.stray("an RDMA Write");
            }
            var transfer = offer.tracked().write(offer.segment(), header.offset(), at);
            write = new OpenWrite(header.stag(), transfer, offer);
        }
        var offer = write.offer();
        write.transfer().add(payload, header.isLast(), at);
        if (header.isLast()) {
            write = null;
        }
        return MovedData.of(offer);
    }
}
