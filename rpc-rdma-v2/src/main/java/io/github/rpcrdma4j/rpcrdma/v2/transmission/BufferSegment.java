package io.github.rpcrdma4j.rpcrdma.v2.transmission;

/**
 * One segment of a receive buffer.
 *
 * @param offset the offset of its first byte in the buffer
 * @param length its length, in bytes
 * @param alignment the alignment of its memory; 0 and 1: none
 * @param isForPlacement whether bulk data may be placed in it
 */
public record BufferSegment(long offset, long length, long alignment, boolean isForPlacement) {
    /** Returns the offset of the first byte after the segment, in the buffer. */
    public long end() {
        return offset + length;
    }
}
