package io.github.rpcrdma4j.rpcrdma.wire;

/**
 * An entry of the Read list (RFC 8166, Section 4.3.1). Entries of one position form a Read chunk.
 *
 * @param position the offset of the data in the unreduced payload stream, unsigned 32 bits; 0 for
 *     the payload stream itself
 * @param target the segment from which the responder reads
 */
public record ReadSegment(int position, Segment target) {
    /** The length on the wire in bytes, without the list discriminator. */
    public static final int BYTES = Integer.BYTES + Segment.BYTES;
}
