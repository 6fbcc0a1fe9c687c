package io.github.rpcrdma4j.nfs.v4.type;

import io.github.rpcrdma4j.oncrpc.KeyedHash;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Bytes with which a client names itself or an owner of opens or locks: at most 1024 (RFC 8881,
 * Sections 3.3.9 and 3.3.10). Immutable.
 */
public final class OpaqueName {
    /** The most bytes: {@code NFS4_OPAQUE_LIMIT}. */
    public static final int BYTES_MAX = 1024;

    private static final String HEX = "hex:";

    private final byte[] bytes;
    private final int hash;

    private OpaqueName(byte[] own) {
        bytes = own;
        hash = KeyedHash.of(own);
    }

    /**
     * Returns a name.
     *
     * @param bytes at most {@link #BYTES_MAX}; copied
     * @throws IllegalArgumentException if there are more
     */
    public static OpaqueName of(byte[] bytes) {
        if (bytes.length > BYTES_MAX) {
            throw new IllegalArgumentException("a name has at most " + BYTES_MAX + " bytes");
        }
        return new OpaqueName(bytes.clone());
    }

    public static OpaqueName decode(XdrReader in) throws XdrException {
        return new OpaqueName(in.bytes(BYTES_MAX));
    }

    public XdrWriter encode(XdrWriter out) {
        return out.opaque(bytes);
    }

    /** Returns a copy of the bytes. */
    public byte[] bytes() {
        return bytes.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OpaqueName name
                && hash == name.hash
                && Arrays.equals(bytes, name.bytes);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /**
     * Returns the bytes as text if all are printable ASCII, else {@code hex:} and hexadecimal
     * digits; also if the text itself begins so. Two names never have one text.
     */
    @Override
    public String toString() {
        var text = new String(bytes, StandardCharsets.US_ASCII);
        boolean isPlain = !text.startsWith(HEX);
        for (byte each : bytes) {
            isPlain &= each >= ' ' && each <= '~';
        }
        return isPlain ? text : HEX + HexFormat.of().formatHex(bytes);
    }
}
