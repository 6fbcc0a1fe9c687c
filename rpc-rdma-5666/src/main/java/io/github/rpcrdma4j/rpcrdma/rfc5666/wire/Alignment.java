package io.github.rpcrdma4j.rpcrdma.rfc5666.wire;

import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Rfc5666Header.PaddedMsg;

/**
 * The rule by which the payload of an RDMA_MSGP is padded, so that long opaques start at the
 * alignment that a receiver prefers (RFC 5666, Section 3.9).
 *
 * <pre>
 *   transport header | payload stream ... length word | padding | data of the opaque ...
 *   0                base                                       a multiple of align
 * </pre>
 *
 * The RFC leaves open where the alignment counts from, and whether an opaque of exactly the
 * threshold is padded. Here the alignment counts from the start of the Send, and such an opaque is
 * padded. The only known sender did both.
 *
 * @param base where the payload stream starts in the Send, in bytes
 * @param align the alignment of the start of the data, in bytes; unsigned, not 0, and not
 *     necessarily a power of two
 * @param threshold the shortest opaque that is padded, in bytes, unsigned
 */
public record Alignment(long base, int align, int threshold) {
    /** The alignment of a message without padding. */
    public static final Alignment NONE = new Alignment(0, 1, 0);

    public Alignment {
        if (align == 0) {
            throw new IllegalArgumentException("align must not be 0");
        }
    }

    /** Returns the alignment of the payload that follows that header. */
    public static Alignment of(PaddedMsg header) {
        return new Alignment(header.encodedLength(), header.align(), header.threshold());
    }

    /**
     * Returns how many bytes of padding precede the data of an opaque (RFC 5666-3.9-2, 5666-3.9-3).
     *
     * @param at where its length word ends, in bytes from the start of the payload stream as it
     *     travels
     * @param count its length in bytes
     */
    public long padding(long at, long count) {
        if (count < Integer.toUnsignedLong(threshold)) {
            return 0;
        }
        return Math.floorMod(-(base + at), Integer.toUnsignedLong(align));
    }
}
