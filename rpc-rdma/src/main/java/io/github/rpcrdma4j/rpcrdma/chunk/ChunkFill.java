package io.github.rpcrdma4j.rpcrdma.chunk;

import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import java.util.ArrayList;
import java.util.List;

/**
 * How octets are laid into the segments of a Write chunk or a Reply chunk: one segment after the
 * other, each filled before the next (RFC 8166-3.4.6-2).
 *
 * @param parts where each run of octets goes; none is empty
 * @param returned the chunk as it goes back: the same segments with the lengths written (RFC
 *     8166-3.4.6-3, 8166-3.4.6.2-3)
 */
public record ChunkFill(List<Part> parts, WriteChunk returned) {
    /**
     * One RDMA Write.
     *
     * @param segment where it goes; its length is what is written
     * @param from where its octets start in the data
     */
    public record Part(Segment segment, long from) {}

    /**
     * Lays out {@code length} octets.
     *
     * @throws IllegalArgumentException if the chunk does not hold them
     */
    public static ChunkFill of(WriteChunk offered, long length) {
        if (offered.size() < length) {
            throw new IllegalArgumentException("the chunk is too short");
        }
        if (offered.segments().size() == 1 && length > 0) {
            // Nearly all are like that: the same with fewer objects.
            var filled = offered.segments().getFirst().withLength(length);
            return new ChunkFill(List.of(new Part(filled, 0)), new WriteChunk(List.of(filled)));
        }
        var parts = new ArrayList<Part>(1);
        var segments = new ArrayList<Segment>(offered.segments().size());
        long done = 0;
        for (var segment : offered.segments()) {
            var filled = segment.withLength(Math.min(segment.size(), length - done));
            segments.add(filled);
            if (filled.size() > 0) {
                parts.add(new Part(filled, done));
                done += filled.size();
            }
        }
        return new ChunkFill(parts, new WriteChunk(segments));
    }
}
