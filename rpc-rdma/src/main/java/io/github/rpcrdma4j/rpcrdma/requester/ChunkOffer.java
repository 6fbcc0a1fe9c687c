package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.metrics.Statistics;
import io.github.rpcrdma4j.rpcrdma.requester.OfferingCall.ReducedItem;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.verbs.Access;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Opens to its responder what a call offers, by its shape. */
public final class ChunkOffer {
    private final SegmentPool pool;
    private final Statistics statistics;

    public ChunkOffer(SegmentPool pool, Statistics statistics) {
        this.pool = pool;
        this.statistics = statistics;
    }

    /**
     * The chunk lists of a call that is about to be sent.
     *
     * @param message of the call; the call keeps it if it is offered itself
     * @param reducedItems bulk arguments that are offered apart
     */
    public ChunkLists of(
            OfferingCall call, SegmentPool.Lease message, List<ReducedItem> reducedItems) {
        var shape = call.shape();
        var readList = new ArrayList<ReadSegment>(shape.reducedItems());
        if (shape.longCall()) {
            // All of it at position 0 (RFC 8166-3.5.3-2).
            call.hold(message);
            offerRead(call, 0, message.segment(), readList);
            statistics.count(Counter.LONG_CALLS);
            statistics.count(Counter.LONG_CALL_OCTETS, shape.messageBytes());
        }
        for (var item : reducedItems) {
            offerRead(call, item.position(), item.data(), readList);
            statistics.count(Counter.READ_CHUNKS);
            statistics.count(Counter.READ_CHUNK_OCTETS, item.data().byteSize());
        }
        var writeList = offerWrites(call);
        Optional<WriteChunk> replyChunk = Optional.empty();
        var replyMemory = MemorySegment.NULL;
        if (shape.replyChunkBytes() > 0) {
            replyMemory = call.hold(pool.lease(shape.replyChunkBytes())).segment();
            replyChunk = Optional.of(offerWrite(call, replyMemory));
        }
        var chunks = new ChunkLists(readList, writeList, replyChunk);
        call.offer(chunks, replyMemory);
        return chunks;
    }

    private static void offerRead(
            OfferingCall call, int position, MemorySegment data, List<ReadSegment> readList) {
        // One position for all segments, and no padding (RFC 8166-3.4.5-2, 8166-3.4.5.2-1,
        // 8166-3.4.5.2-3, 5666-3.7-3).
        for (var segment : call.exposed().expose(data, Access.REMOTE_READ)) {
            readList.add(new ReadSegment(position, segment));
        }
    }

    /** Nearly all calls have one target at the most. */
    private static List<WriteChunk> offerWrites(OfferingCall call) {
        var targets = call.resultTargets();
        if (targets.size() == 1) {
            return List.of(offerWrite(call, targets.getFirst()));
        }
        var writeList = new ArrayList<WriteChunk>(targets.size());
        for (var target : targets) {
            writeList.add(offerWrite(call, target));
        }
        return writeList;
    }

    private static WriteChunk offerWrite(OfferingCall call, MemorySegment target) {
        // As long as the result, which has no padding here (RFC 8166-3.4.6.2-1).
        return new WriteChunk(call.exposed().expose(target, Access.REMOTE_WRITE));
    }
}
