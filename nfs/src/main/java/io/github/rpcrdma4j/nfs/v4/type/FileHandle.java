package io.github.rpcrdma4j.nfs.v4.type;

import io.github.rpcrdma4j.oncrpc.KeyedHash;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * A file handle: {@code nfs_fh4}, up to 128 bytes that only its server can interpret (RFC 8881,
 * Section 4). Immutable.
 */
public final class FileHandle {
    /** The most bytes: {@code NFS4_FHSIZE}. */
    public static final int BYTES_MAX = 128;

    private final byte[] bytes;

    private FileHandle(byte[] own) {
        bytes = own;
    }

    /**
     * Returns a handle.
     *
     * @param bytes at most {@link #BYTES_MAX}; copied
     * @throws IllegalArgumentException if there are more
     */
    public static FileHandle of(byte[] bytes) {
        if (bytes.length > BYTES_MAX) {
            throw new IllegalArgumentException("a handle has at most " + BYTES_MAX + " bytes");
        }
        return new FileHandle(bytes.clone());
    }

    public static FileHandle decode(XdrReader in) throws XdrException {
        return new FileHandle(in.bytes(BYTES_MAX));
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
