package io.github.rpcrdma4j.rpcrdma.wire;

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

    /** The sum of the lengths in octets: what it holds in a call, what was written in a reply. */
    public long size() {
        long size = 0;
        for (var segment : segments) {
            size += segment.size();
        }
        return size;
    }

    /** The same segments with every length 0: an unused chunk (RFC 8166, Section 3.4.6). */
    public WriteChunk unused() {
        return new WriteChunk(segments.stream().map(segment -> segment.withLength(0)).toList());
    }
}
