package io.github.rpcrdma4j.rpcrdma.wire;

import java.util.ArrayList;
import java.util.List;

/**
 * A Write chunk of the Write list, or a Reply chunk (RFC 8166, Sections 4.3.2 and 4.3.3).
 *
 * @param segments the segments in the order in which they are filled; none for an empty chunk
 */
public record WriteChunk(List<Segment> segments) {
    public WriteChunk {
        segments = List.copyOf(segments);
    }

    /**
     * Returns the sum of the lengths in bytes: the capacity in a call, the written bytes in a
     * reply.
     */
    public long size() {
        long size = 0;
        for (var segment : segments) {
            size += segment.size();
        }
        return size;
    }

    /** Returns these segments with every length 0: an unused chunk (RFC 8166, Section 3.4.6). */
    public WriteChunk unused() {
        return filled(0);
    }

    /**
     * Returns the chunk with a number of bytes written, as a reply returns it. It has these
     * segments with the written lengths (RFC 8166-3.4.6-3, 8166-3.4.6.2-3), each filled before the
     * next (RFC 8166-3.4.6-2).
     *
     * @throws IllegalArgumentException if the chunk is too short
     */
    public WriteChunk filled(long bytes) {
        if (size() < bytes) {
            throw new IllegalArgumentException("the chunk is too short");
        }
        if (segments.size() == 1) {
            // Nearly all chunks have one segment. This avoids the objects of the general case.
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
