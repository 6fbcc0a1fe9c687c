package io.github.rpcrdma4j.nfs.v2;

import io.github.rpcrdma4j.oncrpc.KeyedHash;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * A file handle: 32 bytes that only its server can interpret (RFC 1094, Section 2.3.3). Immutable.
 */
public final class FileHandle {
    /** The length of every handle, in bytes. */
    public static final int BYTES = 32;

    private final byte[] bytes;

    private FileHandle(byte[] own) {
        bytes = own;
    }

    /**
     * Returns the handle of these bytes.
     *
     * @param bytes copied
     * @throws IllegalArgumentException if they are not {@link #BYTES}
     */
    public static FileHandle of(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("a file handle of version 2 has 32 bytes");
        }
        return new FileHandle(bytes.clone());
    }

    /** Decodes a handle: {@code fhandle}. */
    public static FileHandle decode(XdrReader in) throws XdrException {
        return new FileHandle(in.fixedOpaque(BYTES).toArray(ValueLayout.JAVA_BYTE));
    }

    /** Encodes the handle, and returns the writer. */
    public XdrWriter encode(XdrWriter out) {
        return out.fixedOpaque(bytes);
    }

    /** Returns a copy of the bytes. */
    public byte[] bytes() {
        return bytes.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FileHandle handle && Arrays.equals(bytes, handle.bytes);
    }

    @Override
    public int hashCode() {
        return KeyedHash.of(bytes);
    }

    @Override
    public String toString() {
        return HexFormat.of().formatHex(bytes);
    }
}
