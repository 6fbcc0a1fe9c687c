package io.github.rpcrdma4j.nfs.v3;

import io.github.rpcrdma4j.oncrpc.KeyedHash;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.Arrays;
import java.util.HexFormat;

/** A file handle: up to 64 bytes that only its server can interpret. Immutable. */
public final class FileHandle {
    private final byte[] bytes;

    /**
     * @param bytes at most {@link Nfs3#HANDLE_MAX}; copied
     */
    public FileHandle(byte[] bytes) {
        this(bytes.clone(), bytes.length);
    }

    /** Uses the bytes without a copy. */
    private FileHandle(byte[] bytes, int length) {
        if (length > Nfs3.HANDLE_MAX) {
            throw new IllegalArgumentException("a file handle has at most 64 bytes");
        }
        this.bytes = bytes;
    }

    /** Decodes a handle: {@code nfs_fh3}. */
    public static FileHandle decode(XdrReader in) throws XdrException {
        byte[] own = in.bytes(Nfs3.HANDLE_MAX);
        return new FileHandle(own, own.length);
    }

    /** Encodes the handle, and returns the writer. */
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
