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
 * A call that may offer chunks, as RFC 8166 has it (RFC 8166, Sections 3.5 and 4.3); a profile may
 * send it in another way. It is made for one use.
 */
public non-sealed class ChunkedCall extends PendingCall {
    private final CallPlan shape;
    private final List<BulkItem> items;
    private final List<MemorySegment> resultTargets;
    private ChunkLists offered = ChunkLists.EMPTY;
    private MemorySegment replyChunk = MemorySegment.NULL;

    /**
     * Lays out a call: what is reduced stays where it lies, and the rest of its message moves
     * together.
     */
    public ChunkedCall(EncodedCall encoded, CallPlan shape) {
        this(encoded, shape, encoded.memory().apart(shape.reducedItems()));
    }

    /**
     * @param items bulk arguments that are not in the message, in memory that can be registered
     */
    protected ChunkedCall(EncodedCall encoded, CallPlan shape, List<BulkItem> items) {
        super(encoded.xid(), encoded.memory());
        this.shape = shape;
        this.items = items;
        this.resultTargets =
                shape.offersWriteChunks()
                        ? encoded.memory().writable(encoded.call().resultTargets())
                        : List.of();
    }

    /** How it travels. */
    public final CallPlan shape() {
        return shape;
    }

    /** The bulk arguments that are not in its message. */
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

    /** Says what is offered, and where the Reply chunk lies. */
    public final void offer(ChunkLists chunks, MemorySegment replyMemory) {
        offered = chunks;
        replyChunk = replyMemory;
    }

    /**
     * Opens to the responder what the call offers by its shape.
     *
     * @param message of a long call, all of it
     * @param reduced bulk arguments that are offered apart; the empty ones move nothing
     */
    public final ChunkLists offer(
            MemorySegment message, List<BulkItem> reduced, Counters counters) {
        var readList = new ArrayList<ReadSegment>(shape.longCall() ? 1 : reduced.size());
        if (shape.longCall()) {
            // All of it at position 0 (RFC 8166-3.5.3-2).
            offerRead(0, message, readList);
            counters.countChunk(
                    Counter.LONG_CALLS, Counter.LONG_CALL_BYTES, xid(), shape.messageBytes());
        }
        // A chunk for each item, at its place in the unreduced stream (RFC 8166-3.4.4.4-1).
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
        var replyMemory = MemorySegment.NULL;
        if (shape.replyChunkBytes() > 0) {
            replyMemory = memory().lease(shape.replyChunkBytes());
            chunk = Optional.of(offerWrite(replyMemory));
        }
        offer(new ChunkLists(readList, writeList, chunk), replyMemory);
        return offered;
    }

    private void offerRead(int position, MemorySegment data, List<ReadSegment> readList) {
        // One position for all segments, and no padding (RFC 8166-3.4.5-2, 8166-3.4.5.2-1,
        // 8166-3.4.5.2-3, 5666-3.7-3).
        for (var segment : exposed().expose(data, Access.REMOTE_READ)) {
            readList.add(new ReadSegment(position, segment));
        }
    }

    /** Nearly all calls have one target at the most. */
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
        // As long as the result, which has no padding here (RFC 8166-3.4.6.2-1).
        return new WriteChunk(exposed().expose(target, Access.REMOTE_WRITE));
    }

    @Override
    protected void send(Endpoint endpoint, Counters counters, int credits) {
        var chunks = offer(memory().message().reducedStream(), items, counters);
        // The header is all the framing there is (RFC 5666-3-2), and has the XID of the message
        // (RFC 8166-4.2.1-1, 5666-4.1-1).
        var header = Version1Header.of(shape.longCall(), xid(), credits, chunks);
        long inline = shape.longCall() ? 0 : shape.messageBytes();
        if (header.encode(memory().frame(shape.headerBytes(), inline)) != shape.headerBytes()) {
            throw new AssertionError("a transport header is not as long as planned");
        }
        if (!shape.longCall()) {
            counters.count(Counter.INLINE_CALL_BYTES, inline);
        }
        endpoint.post(memory().sending());
    }
}
