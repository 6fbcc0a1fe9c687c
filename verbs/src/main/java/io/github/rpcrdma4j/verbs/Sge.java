package io.github.rpcrdma4j.verbs;

/**
 * A scatter/gather element: registered memory of this side, as work requests name it.
 *
 * @param region of the protection domain of the queue pair
 * @param offset of the first byte, counted from the start of the region
 * @param length in bytes; may be 0
 */
public record Sge(MemoryRegion region, long offset, long length) {
    /**
     * Checks that the element is within its region.
     *
     * @throws IllegalArgumentException if it exceeds the region
     */
    public Sge {
        requireWithin(region, offset, length);
    }

    /**
     * Checks that a range is within a region.
     *
     * @throws IllegalArgumentException if so many bytes at that offset exceed the region
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

    /** A whole region. */
    public static Sge of(MemoryRegion region) {
        return new Sge(region, 0, region.length());
    }
}
