package io.github.rpcrdma4j.rpcrdma.wire;

/**
 * A segment of registered memory (RFC 8166, Section 3.4.4; RFC 5666-2-1).
 *
 * @param handle the handle, any 32-bit value
 * @param length the length in bytes, unsigned 32 bits
 * @param offset the 64-bit offset, opaque to all but the owner of the memory
 */
public record Segment(int handle, int length, long offset) {
    /** The length on the wire in bytes. */
    public static final int BYTES = 16;

    /** Returns the length in bytes as a long. */
    public long size() {
        return Integer.toUnsignedLong(length);
    }

    /** Returns this segment with another length in bytes, as a responder returns it. */
    public Segment withLength(long bytes) {
        return new Segment(handle, (int) bytes, offset);
    }
}
