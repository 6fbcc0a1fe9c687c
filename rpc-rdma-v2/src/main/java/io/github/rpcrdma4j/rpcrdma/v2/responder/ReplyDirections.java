package io.github.rpcrdma4j.rpcrdma.v2.responder;

import io.github.rpcrdma4j.rpcrdma.connection.MessageSends.ChunkWrite;
import io.github.rpcrdma4j.rpcrdma.responder.ReplyPlan;
import io.github.rpcrdma4j.rpcrdma.responder.ReplyPlan.Placed;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.PlacedMessage;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.ResponsePlacement;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.ResponsePlacement.Preference;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.ResponsePlacement.Result;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.ResponsePlacement.ResultTransfer;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitRequest;
import io.github.rpcrdma4j.rpcrdma.v2.wire.PlacementItem.Location;
import io.github.rpcrdma4j.rpcrdma.v2.wire.ResponseSet.Target;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.PayloadStream;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;

/** Translates an XMTREQ into the chunks and placements of a call that arrived in one Send. */
final class ReplyDirections {
    private ReplyDirections() {}

    /** Returns the chunks: arguments that have to be read, and the Reply chunk. */
    static ChunkLists chunks(TransmitRequest request) {
        var readList = new ArrayList<ReadSegment>();
        for (var item : request.moved()) {
            if (item.location() instanceof Location.Explicit(var segments)) {
                for (var segment : segments) {
                    readList.add(new ReadSegment((int) item.displacement(), segment));
                }
            }
        }
        return new ChunkLists(
                readList,
                List.of(),
                request.trailer().flatMap(Operation.Trailer::replyChunk).map(WriteChunk::new));
    }

    /**
     * Returns the arguments that lie in the receives.
     *
     * @param memory allocates memory for an argument that lies in more than one receive
     */
    static List<BulkItem> placed(PlacedMessage message, LongFunction<MemorySegment> memory) {
        var placed = new ArrayList<BulkItem>();
        for (var item : message.items()) {
            if (item.moved().location() instanceof Location.Numbered) {
                placed.add(new BulkItem(item.moved().displacement(), item.data(memory)));
            }
        }
        return placed;
    }

    /** Returns the results that may be placed. */
    static List<Result> results(List<BulkItem> items, int eligible) {
        var results = new ArrayList<Result>();
        for (var item : items.subList(0, Math.min(items.size(), eligible))) {
            // Programs without operations count as one operation, at the start (RTR-6.2-5).
            results.add(new Result(item.operation(), item.position(), item.data().byteSize()));
        }
        return results;
    }

    /**
     * Places results into the offered memory, for a reply that is no group. Each target with memory
     * becomes a Write chunk (RPR-4.1-4).
     *
     * @return empty if a result does not fit
     */
    static Optional<Placed> place(TransmitRequest request, List<BulkItem> items, int eligible) {
        return ResponsePlacement.of(
                        request.directions(), results(items, eligible), false, Preference.WRITE)
                .map(placement -> place(request, items, placement));
    }

    private static Placed place(
            TransmitRequest request, List<BulkItem> items, ResponsePlacement placement) {
        var writes = new ArrayList<ChunkWrite>();
        var reduced = new BitSet();
        var writeList = new ArrayList<WriteChunk>();
        var results = placement.targets().iterator();
        for (var set : request.directions()) {
            for (var expected : set.results()) {
                var result = results.next();
                var segments = memory(expected.target());
                if (segments.isEmpty()) {
                    continue;
                }
                var chunk = new WriteChunk(segments);
                if (result.isPresent()
                        && placement.transfers().get(result.get())
                                instanceof ResultTransfer.ByWrite) {
                    var data = PayloadStream.of(items.get(result.get()).data());
                    var filled = chunk.filled(data.length());
                    ReplyPlan.write(filled, data, writes);
                    writeList.add(filled);
                    reduced.set(result.get());
                } else {
                    writeList.add(chunk.unused());
                }
            }
        }
        return new Placed(writeList, writes, reduced);
    }

    /** Returns the bytes of memory that a target offers. */
    static long size(Target target) {
        return memory(target).stream().mapToLong(Segment::size).sum();
    }

    private static List<Segment> memory(Target target) {
        return switch (target) {
            case Target.Explicit(var segments) -> segments;
            case Target.Choice(var segments) -> segments;
            case Target.BySize(_, var segments) -> segments;
            case Target.Numbered() -> List.of();
        };
    }
}
