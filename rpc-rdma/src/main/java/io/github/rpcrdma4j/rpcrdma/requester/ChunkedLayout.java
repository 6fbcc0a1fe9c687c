package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.requester.CallShape.ReplyOffer;
import io.github.rpcrdma4j.rpcrdma.requester.OfferingCall.ReducedItem;
import io.github.rpcrdma4j.rpcrdma.wire.PlainMessages;
import io.github.rpcrdma4j.xdr.PayloadPieces;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** Lays out calls as RFC 8166 has them (RFC 8166, Sections 3.5 and 4.3). Thread-safe. */
public record ChunkedLayout() implements CallLayout {
    @Override
    public PlainMessages plain() {
        return PlainMessages.WITH_BULK_DATA;
    }

    @Override
    public ChunkedCall lay(EncodedCall encoded) {
        return lay(encoded, encoded.shape(ReplyOffer.ALL));
    }

    /**
     * Lays out a call whose shape is known.
     *
     * @throws IllegalArgumentException if memory of it cannot be opened
     */
    public static ChunkedCall lay(EncodedCall encoded, CallShape shape) {
        var pool = encoded.memory().pool();
        var standIns = new StandIns(pool);
        var items = encoded.message().bulkItems();
        var reducedItems = new ArrayList<ReducedItem>(shape.reducedItems());
        // A chunk for each item, at its place in the unreduced stream (RFC 8166-3.4.4.4-1).
        for (int i = 0; i < shape.reducedItems(); i++) {
            var item = items.get(i);
            // An empty segment is a fatal error in a thread of a Linux server (lib/sg_pool.c).
            if (item.data().byteSize() > 0) {
                var data = standIns.readable(item.data());
                reducedItems.add(new ReducedItem((int) item.position(), data));
            }
        }
        List<MemorySegment> targets =
                shape.offersWriteChunks()
                        ? standIns.writable(encoded.call().resultTargets())
                        : List.of();
        return new ChunkedCall(
                encoded.xid(),
                shape,
                flatten(shape, encoded, pool),
                reducedItems,
                targets,
                standIns.leases(),
                encoded.exposed());
    }

    private static SegmentPool.Lease flatten(
            CallShape shape, EncodedCall encoded, SegmentPool pool) {
        long room = shape.longCall() ? 0 : shape.headerBytes();
        var lease = pool.lease(room + shape.messageBytes());
        var message = encoded.message();
        if (shape.reducedItems() == message.bulkItems().size()) {
            var stream = message.reducedStream();
            MemorySegment.copy(stream, 0, lease.segment(), room, stream.byteSize());
            return lease;
        }
        var reduced = new BitSet();
        reduced.set(0, shape.reducedItems());
        PayloadPieces.of(message.reducedStream(), message.bulkItems(), reduced)
                .copyTo(lease.segment().asSlice(room));
        return lease;
    }
}
