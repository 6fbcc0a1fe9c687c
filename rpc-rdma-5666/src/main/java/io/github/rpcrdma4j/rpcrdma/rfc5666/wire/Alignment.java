package io.github.rpcrdma4j.rpcrdma.rfc5666.wire;

import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Rfc5666Header.PaddedMsg;

/**
 * How the payload of an RDMA_MSGP is padded, so that long opaques start where a receiver likes them
 * (RFC 5666, Section 3.9).
 *
 * <pre>
 *   transport header | payload stream ... length word | padding | data of the opaque ...
 *   0                base                                       a multiple of align
 * </pre>
 *
 * The RFC leaves open from where the alignment counts, and whether an opaque of exactly the
 * threshold is padded. Counted is from the start of the Send, and it is: so did the only sender
 * that there was.
 *
 * @param base where the payload stream starts in the Send, in bytes
 * @param align of the start of the data, unsigned and not 0; any number, no power of two
 * @param threshold the shortest opaque that is padded, in bytes, unsigned
 */
public record Alignment(long base, int align, int threshold) {
    /** Of a message that is not padded. */
    public static final Alignment NONE = new Alignment(0, 1, 0);

    public Alignment {
        if (align == 0) {
            throw new IllegalArgumentException("nothing is aligned to zero");
        }
    }

    /** How the payload behind that header is padded. */
    public static Alignment of(PaddedMsg header) {
        return new Alignment(header.encodedLength(), header.align(), header.threshold());
    }

    /**
     * How many bytes of padding stand before the data of an opaque (RFC 5666-3.9-2, 5666-3.9-3).
     *
     * @param at where its length word ends, from the start of the payload stream as it travels
     * @param count its length in bytes
     */
    public long padding(long at, long count) {
        if (count < Integer.toUnsignedLong(threshold)) {
            return 0;
        }
        return Math.floorMod(-(base + at), Integer.toUnsignedLong(align));
    }
}
