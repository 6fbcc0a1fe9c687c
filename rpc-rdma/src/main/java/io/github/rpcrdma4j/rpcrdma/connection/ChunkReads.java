package io.github.rpcrdma4j.rpcrdma.connection;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.chunk.ReadChunk;
import io.github.rpcrdma4j.rpcrdma.chunk.ReadChunkPlacements;
import io.github.rpcrdma4j.rpcrdma.chunk.ReadChunkPlacements.Fetched;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.verbs.WorkRequest;
import io.github.rpcrdma4j.xdr.Placements;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;

/**
 * What has to be fetched of a message, and where it goes.
 *
 * @param message the message without the items that are fetched apart: what came inline, or memory
 *     for the Position-Zero Read chunk
 * @param items how many are fetched apart
 * @param placements where they will be found
 * @param reads the RDMA Reads to make; none if all chunks are empty
 */
public record ChunkReads(
        MemorySegment message, int items, Placements placements, List<WorkRequest> reads) {
    /**
     * @param readList may be empty
     * @param inline what followed the header
     * @param here items that came with it, and lie apart
     * @param leases gives memory to fetch into
     * @param memory of the connection
     */
    public static ChunkReads of(
            List<ReadSegment> readList,
            MemorySegment inline,
            List<Fetched> here,
            LongFunction<SegmentPool.Lease> leases,
            ConnectionMemory memory) {
        var message = inline;
        var items = new ArrayList<>(here);
        var reads = new ArrayList<WorkRequest>();
        for (var chunk : ReadChunk.of(readList)) {
            var lease = leases.apply(chunk.size());
            var place = lease.segment();
            read(chunk, lease, memory, reads);
            // Of any length (RFC 8166-3.5.3-3).
            if (chunk.position() == 0) {
                message = place;
            } else {
                items.add(new Fetched(chunk.position(), place));
            }
        }
        return new ChunkReads(
                message,
                items.size(),
                items.isEmpty() ? Placements.NONE : new ReadChunkPlacements(items),
                reads);
    }

    private static void read(
            ReadChunk chunk,
            SegmentPool.Lease sink,
            ConnectionMemory memory,
            List<WorkRequest> reads) {
        long at = 0;
        for (var segment : chunk.segments()) {
            if (segment.size() > 0) {
                reads.add(
                        new WorkRequest.Read(
                                0,
                                memory.element(sink, at, segment.size()),
                                segment.handle(),
                                segment.offset()));
                at += segment.size();
            }
        }
    }
}
