package io.github.rpcrdma4j.rpcrdma.chunk;

import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import java.util.ArrayList;
import java.util.List;

/**
 * A Read chunk: the entries of a Read list that share a position (RFC 8166, Section 3.4.5).
 *
 * @param position the XDR position, unsigned
 * @param segments in list order
 * @param size the sum of their lengths, in bytes
 */
public record ReadChunk(long position, List<Segment> segments, long size) {
    public ReadChunk {
        segments = List.copyOf(segments);
    }

    /**
     * Returns the chunks of a Read list, in the order of their first entries. The entries of one
     * position need not be adjacent (RFC 8166-3.4.5-4).
     */
    public static List<ReadChunk> of(List<ReadSegment> readList) {
        var chunks = new ArrayList<ReadChunk>();
        var taken = new boolean[readList.size()];
        for (int i = 0; i < taken.length; i++) {
            if (taken[i]) {
                continue;
            }
            int position = readList.get(i).position();
            var segments = new ArrayList<Segment>();
            long size = 0;
            for (int j = i; j < taken.length; j++) {
                if (readList.get(j).position() == position) {
                    taken[j] = true;
                    segments.add(readList.get(j).target());
                    size += readList.get(j).target().size();
                }
            }
            chunks.add(new ReadChunk(Integer.toUnsignedLong(position), segments, size));
        }
        return chunks;
    }
}
