package io.github.rpcrdma4j.verbs;

import java.util.List;

/**
 * A scatter/gather element: a range of registered memory of this side, for a work request.
 *
 * @param region a region of the protection domain of the queue pair
 * @param offset the offset of the first byte from the start of the region
 * @param length the length in bytes; may be 0
 */
public record Sge(MemoryRegion region, long offset, long length) {
    /**
     * Checks that the element is within its region.
     *
     * @throws IllegalArgumentException if the element exceeds the region
     */
    public Sge {
        requireWithin(region, offset, length);
    }

    /**
     * Checks that a range is within a region.
     *
     * @throws IllegalArgumentException if the range exceeds the region
     */
    public static void requireWithin(MemoryRegion region, long offset, long length) {
        if (length < 0 || offset < 0 || offset > region.length() - length) {
            throw new IllegalArgumentException(
                    "a scatter/gather element of "
                            + length
                            + " bytes at "
                            + offset
                            + " exceeds its region of "
                            + region.length());
        }
    }

    /**
     * Checks that a request gathers no more elements than its queue pair allows.
     *
     * @throws IllegalArgumentException if it does
     */
    public static void requireCount(List<Sge> gather, int gatherMax) {
        if (gather.size() > gatherMax) {
            throw new IllegalArgumentException(
                    gather.size()
                            + " elements to gather exceed the limit of the queue pair: "
                            + gatherMax);
        }
    }

    /** Returns the element of a whole region. */
    public static Sge of(MemoryRegion region) {
        return new Sge(region, 0, region.length());
    }
}
