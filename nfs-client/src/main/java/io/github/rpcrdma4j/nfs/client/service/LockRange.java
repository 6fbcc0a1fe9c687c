package io.github.rpcrdma4j.nfs.client.service;

/**
 * Bytes of a file that are locked together.
 *
 * @param offset of the first byte, unsigned
 * @param length unsigned, not 0; {@link #TO_END} to the end of the file, also if it grows
 */
public record LockRange(long offset, long length) {
    /** The length of a range that reaches to the end of the file. */
    public static final long TO_END = -1;

    /** All bytes of a file. */
    public static final LockRange ALL = new LockRange(0, TO_END);

    /**
     * Checks the range.
     *
     * @throws IllegalArgumentException if it has no byte, or ends behind the last one that a file
     *     can have
     */
    public LockRange {
        boolean isWithin =
                length == TO_END || Long.compareUnsigned(length - 1, TO_END - offset) <= 0;
        if (length == 0 || !isWithin) {
            throw new IllegalArgumentException(
                    "no range to lock: "
                            + Long.toUnsignedString(length)
                            + " bytes at "
                            + Long.toUnsignedString(offset));
        }
    }
}
