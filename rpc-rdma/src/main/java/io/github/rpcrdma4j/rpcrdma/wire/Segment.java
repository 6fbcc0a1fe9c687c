package io.github.rpcrdma4j.rpcrdma.wire;

/**
 * A piece of registered memory (RFC 8166, Section 3.4.4; RFC 5666-2-1).
 *
 * @param handle 32 bits, any value
 * @param length bytes, unsigned 32 bits
 * @param offset 64 bits, opaque to everyone but its owner
 */
public record Segment(int handle, int length, long offset) {
    /** Bytes on the wire. */
    public static final int BYTES = 16;

    /** The length as a number that can be added up. */
    public long size() {
        return Integer.toUnsignedLong(length);
    }

    /** This memory with another length, as a responder returns it. */
    public Segment withLength(long bytes) {
        return new Segment(handle, (int) bytes, offset);
    }
}
