package io.github.rpcrdma4j.rpcrdma.wire;

import java.util.ArrayList;
import java.util.List;

/**
 * An entry of the Write list, or a Reply chunk (RFC 8166, Sections 4.3.2 and 4.3.3).
 *
 * @param segments in the order they are filled; none makes an empty chunk
 */
public record WriteChunk(List<Segment> segments) {
    public WriteChunk {
        segments = List.copyOf(segments);
    }

    /** The sum of the lengths in bytes: what it holds in a call, what was written in a reply. */
    public long size() {
        long size = 0;
        for (var segment : segments) {
            size += segment.size();
        }
        return size;
    }

    /** These segments with every length 0: an unused chunk (RFC 8166, Section 3.4.6). */
    public WriteChunk unused() {
        return filled(0);
    }

    /**
     * The chunk as it goes back with so many bytes: the same segments with the lengths written (RFC
     * 8166-3.4.6-3, 8166-3.4.6.2-3), each filled before the next (RFC 8166-3.4.6-2).
     *
     * @throws IllegalArgumentException if it does not hold them
     */
    public WriteChunk filled(long bytes) {
        if (size() < bytes) {
            throw new IllegalArgumentException("the chunk is too short");
        }
        if (segments.size() == 1) {
            // Nearly all are like that: the same with fewer objects.
            return new WriteChunk(List.of(segments.getFirst().withLength(bytes)));
        }
        var filled = new ArrayList<Segment>(segments.size());
        long left = bytes;
        for (var segment : segments) {
            var part = segment.withLength(Math.min(segment.size(), left));
            filled.add(part);
            left -= part.size();
        }
        return new WriteChunk(filled);
    }
}
