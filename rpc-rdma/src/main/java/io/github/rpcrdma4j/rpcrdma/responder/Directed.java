package io.github.rpcrdma4j.rpcrdma.responder;

import io.github.rpcrdma4j.rpcrdma.chunk.ReadChunkPlacements.Fetched;
import io.github.rpcrdma4j.rpcrdma.transmission.PlacedMessage;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.rpcrdma.wire.v2.MovedItem.Place;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Operation;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Operation.TransmitRequest;
import io.github.rpcrdma4j.rpcrdma.wire.v2.ResponseSet.Target;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;

/** What an XMTREQ says, in the words of a call that came in one Send. */
final class Directed {
    private Directed() {}

    /** The chunks: arguments that have to be fetched, and the Reply chunk. */
    static ChunkLists chunks(TransmitRequest request) {
        var readList = new ArrayList<ReadSegment>();
        for (var item : request.moved()) {
            if (item.place() instanceof Place.Explicit(var segments)) {
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
     * The arguments that lie in the receives.
     *
     * @param memory for those that lie in more than one
     */
    static List<Fetched> placed(PlacedMessage message, LongFunction<MemorySegment> memory) {
        var placed = new ArrayList<Fetched>();
        for (var item : message.items()) {
            if (item.moved().place() instanceof Place.Numbered) {
                placed.add(new Fetched(item.moved().displacement(), item.data(memory)));
            }
        }
        return placed;
    }

    /** Octets of memory that a target offers. */
    static long size(Target target) {
        return switch (target) {
            case Target.Explicit(var segments) -> size(segments);
            case Target.Choice(var segments) -> size(segments);
            case Target.BySize(_, var segments) -> size(segments);
            case Target.Numbered() -> 0;
        };
    }

    private static long size(List<Segment> segments) {
        return segments.stream().mapToLong(Segment::size).sum();
    }
}
