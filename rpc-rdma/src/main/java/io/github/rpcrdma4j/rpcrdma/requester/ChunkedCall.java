package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.requester.CallPlanner.EncodedCall;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.xdr.BulkItem;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A call that may offer chunks (RFC 8166, Sections 3.5 and 4.3). A profile may override how it is
 * sent. The object is not reused.
 *
 * <p>Tests: {@code CallsOnTheWireTest}, {@code RequesterChunksOverIwarpTest}.
 */
public non-sealed class ChunkedCall extends PendingCall {
    private final CallPlan plan;
    private final List<BulkItem> items;
    private final List<MemorySegment> resultTargets;
    private final MemorySegment replyMemory;
    private ChunkLists offered = ChunkLists.EMPTY;
    private MemorySegment replyChunk = MemorySegment.NULL;

    /**
     * Creates a call by its plan. Reduced items stay in place, and all others are copied into the
     * message.
     */
    public ChunkedCall(EncodedCall encoded, CallPlan plan) {
        this(encoded, plan, encoded.memory().separateItems(plan.reducedItems()));
    }

    /**
     * Creates a call with given separate items.
     *
     * @param items the bulk arguments that are not in the message, in memory that can be registered
     */
    protected ChunkedCall(EncodedCall encoded, CallPlan plan, List<BulkItem> items) {
        super(encoded.xid(), encoded.memory());
        this.plan = plan;
        this.items = items;
        this.resultTargets =
                plan.offersWriteChunks()
                        ? encoded.memory().writable(encoded.call().resultTargets())
                        : List.of();
        // Leased before the call is sent, so that a lack of memory ends only this call.
        this.replyMemory =
                plan.replyChunkBytes() > 0
                        ? encoded.memory().lease(plan.replyChunkBytes())
                        : MemorySegment.NULL;
    }

    /** Returns the plan of the call. */
    public final CallPlan callPlan() {
        return plan;
    }

    /** Returns the bulk arguments that are not in the message. */
    public final List<BulkItem> items() {
        return items;
    }

    @Override
    public final List<MemorySegment> resultTargets() {
        return resultTargets;
    }

    @Override
    public final ChunkLists offered() {
        return offered;
    }

    @Override
    public final MemorySegment replyChunk() {
        return replyChunk;
    }

    /** Returns the memory for the Reply chunk of the plan; empty if the plan has none. */
    public final MemorySegment replyMemory() {
        return replyMemory;
    }

    /** Sets the offered chunk lists and the memory of the offered Reply chunk. */
    public final void offer(ChunkLists chunks, MemorySegment reply) {
        offered = chunks;
        replyChunk = reply;
    }

    /**
     * Opens the memory that the call offers by its plan, and returns the chunk lists.
     *
     * @param message the whole message, for a long call
     * @param reduced the bulk arguments to offer as Read chunks; empty ones have no chunk
     */
    public final ChunkLists offer(
            MemorySegment message, List<BulkItem> reduced, Counters counters) {
        var readList = new ArrayList<ReadSegment>(plan.longCall() ? 1 : reduced.size());
        if (plan.longCall()) {
            // The whole message is at position 0 (RFC 8166-3.5.3-2).
            offerRead(0, message, readList);
            counters.countChunk(
                    Counter.LONG_CALLS, Counter.LONG_CALL_BYTES, xid(), plan.messageBytes());
        }
        // Each item has a chunk, at its position in the unreduced stream (RFC 8166-3.4.4.4-1).
        for (int i = 0; i < reduced.size(); i++) {
            var item = reduced.get(i);
            // An empty segment is a fatal error in a thread of a Linux server (lib/sg_pool.c).
            if (item.data().byteSize() > 0) {
                offerRead((int) item.position(), item.data(), readList);
                counters.countChunk(
                        Counter.READ_CHUNKS,
                        Counter.READ_CHUNK_BYTES,
                        xid(),
                        item.data().byteSize());
            }
        }
        var writeList = offerWrites();
        Optional<WriteChunk> chunk = Optional.empty();
        if (plan.replyChunkBytes() > 0) {
            chunk = Optional.of(offerWrite(replyMemory));
        }
        offer(new ChunkLists(readList, writeList, chunk), replyMemory);
        return offered;
    }

    private void offerRead(int position, MemorySegment data, List<ReadSegment> readList) {
        // All segments of a chunk have one position, and no padding (RFC 8166-3.4.5-2,
        // 8166-3.4.5.2-1, 8166-3.4.5.2-3, 5666-3.7-3).
        for (var segment : exposed().expose(data, Access.REMOTE_READ)) {
            readList.add(new ReadSegment(position, segment));
        }
    }

    /** Optimized for one target: nearly all calls have at most one. */
    private List<WriteChunk> offerWrites() {
        if (resultTargets.size() == 1) {
            return List.of(offerWrite(resultTargets.getFirst()));
        }
        var writeList = new ArrayList<WriteChunk>(resultTargets.size());
        for (var target : resultTargets) {
            writeList.add(offerWrite(target));
        }
        return writeList;
    }

    private WriteChunk offerWrite(MemorySegment target) {
        // The chunk is as long as the result without padding (RFC 8166-3.4.6.2-1).
        return new WriteChunk(exposed().expose(target, Access.REMOTE_WRITE));
    }

    @Override
    protected void send(Endpoint endpoint, Counters counters, int credits) {
        var chunks = offer(memory().message().reducedStream(), items, counters);
        // The transport header is the only framing (RFC 5666-3-2), and has the XID of the message
        // (RFC 8166-4.2.1-1, 5666-4.1-1).
        var header = Version1Header.of(plan.longCall(), xid(), credits, chunks);
        long inline = plan.longCall() ? 0 : plan.messageBytes();
        if (header.encode(memory().reserveHeader(plan.headerBytes(), inline))
                != plan.headerBytes()) {
            throw new AssertionError("a transport header is not as long as planned");
        }
        if (!plan.longCall()) {
            counters.count(Counter.INLINE_CALL_BYTES, inline);
        }
        endpoint.post(memory().sending());
    }
}
