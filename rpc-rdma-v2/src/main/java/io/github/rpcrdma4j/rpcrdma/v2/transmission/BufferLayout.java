package io.github.rpcrdma4j.rpcrdma.v2.transmission;

import io.github.rpcrdma4j.rpcrdma.v2.wire.BufferStructure;
import io.github.rpcrdma4j.rpcrdma.v2.wire.OptionLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The segments of a receive buffer, which a Send fills one after the other from its first byte
 * (RTR-7.2-1).
 *
 * <pre>
 *   | plain | placement 0 | placement 1 |  plain  | placement 2 |
 *   0       ^ zone                                              ^ bytes
 * </pre>
 *
 * @param segments all segments; the scatter list of a receive would be just these
 * @param bytes the length of the buffer
 */
public record BufferLayout(List<BufferSegment> segments, long bytes) {
    public BufferLayout {
        segments = List.copyOf(segments);
    }

    /** Returns one plain segment, as assumed for a peer that sends no structure (RTR-8.3-2). */
    public static BufferLayout plain(long bytes) {
        return new BufferLayout(List.of(new BufferSegment(0, bytes, 0, false)), bytes);
    }

    /**
     * Returns the layout that a structure describes.
     *
     * @return empty if the structure is impossible: a segment without length, an alignment that is
     *     no power of two, too many segments, or a length that is not the sum of theirs (RTR-8.3-4)
     */
    public static Optional<BufferLayout> of(BufferStructure structure) {
        var segments = new ArrayList<BufferSegment>();
        long offset = 0;
        for (var group : structure.groups()) {
            if (group.count() > OptionLimits.BUFFER_SEGMENTS_MAX - segments.size()
                    || group.segmentLength() == 0
                    || (group.alignment() & group.alignment() - 1) != 0) {
                return Optional.empty();
            }
            for (long i = 0; i < group.count(); i++) {
                segments.add(
                        new BufferSegment(
                                offset,
                                group.segmentLength(),
                                group.alignment(),
                                group.isForPlacement()));
                offset += group.segmentLength();
            }
        }
        return offset == structure.length() && offset > 0
                ? Optional.of(new BufferLayout(segments, offset))
                : Optional.empty();
    }

    /**
     * Returns the segments for placement, in buffer order. Segment {@code j} of transmission {@code
     * t} has the number {@code t * size + j} (RTR-6.2-3).
     */
    public List<BufferSegment> placementSegments() {
        return segments.stream().filter(BufferSegment::isForPlacement).toList();
    }

    /** Returns whether bulk data can be placed in the buffer (RTR-5.3-1, RTR-5.3-2). */
    public boolean takesPlacement() {
        return segments.stream().anyMatch(BufferSegment::isForPlacement);
    }

    /**
     * Returns where the first segment for placement starts, or the end of the buffer without one.
     */
    public long zone() {
        return segments.stream()
                .filter(BufferSegment::isForPlacement)
                .mapToLong(BufferSegment::offset)
                .findFirst()
                .orElse(bytes);
    }
}
