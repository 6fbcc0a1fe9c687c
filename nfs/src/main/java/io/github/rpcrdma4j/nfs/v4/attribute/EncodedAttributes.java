package io.github.rpcrdma4j.nfs.v4.attribute;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Attributes and their values as they travel: {@code fattr4} (RFC 8881, Section 3.3.9). Nothing has
 * looked at the values yet. Immutable.
 *
 * <pre>
 *   bitmap | length | values, in the order of the bits
 * </pre>
 */
public final class EncodedAttributes {
    /** No attributes. */
    public static final EncodedAttributes NONE =
            new EncodedAttributes(AttributeSet.NONE, new byte[0]);

    private final AttributeSet attributes;
    private final byte[] values;

    private EncodedAttributes(AttributeSet attributes, byte[] own) {
        this.attributes = attributes;
        this.values = own;
    }

    /**
     * Returns attributes.
     *
     * @param values their values in XDR, in the order of the bits; copied
     */
    public static EncodedAttributes of(AttributeSet attributes, byte[] values) {
        return new EncodedAttributes(attributes, values.clone());
    }

    public static EncodedAttributes decode(XdrReader in) throws XdrException {
        return new EncodedAttributes(AttributeSet.decode(in), in.bytes(Integer.MAX_VALUE));
    }

    public XdrWriter encode(XdrWriter out) {
        return attributes.encode(out).opaque(values);
    }

    public AttributeSet attributes() {
        return attributes;
    }

    /** Returns a reader of the values. */
    XdrReader reader() {
        return new XdrReader(segment());
    }

    /** Returns a view of the values. */
    MemorySegment segment() {
        return MemorySegment.ofArray(values).asReadOnly();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof EncodedAttributes encoded
                && attributes.equals(encoded.attributes)
                && Arrays.equals(values, encoded.values);
    }

    @Override
    public int hashCode() {
        return 31 * attributes.hashCode() + Arrays.hashCode(values);
    }

    @Override
    public String toString() {
        return attributes + " " + HexFormat.of().formatHex(values);
    }
}
