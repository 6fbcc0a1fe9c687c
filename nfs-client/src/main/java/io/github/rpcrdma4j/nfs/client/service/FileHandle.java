package io.github.rpcrdma4j.nfs.client.service;

import io.github.rpcrdma4j.oncrpc.KeyedHash;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Names a file of a server for as long as the file exists: bytes that only the server can
 * interpret, and that it gave under any version of NFS. Immutable.
 */
public final class FileHandle {
    /** The most bytes of any version: those of version 4 (RFC 8881, Section 3.3.3). */
    public static final int BYTES_MAX = 128;

    private final byte[] bytes;

    /**
     * Creates a handle.
     *
     * @param bytes at most {@link #BYTES_MAX}; copied
     * @throws IllegalArgumentException if there are more
     */
    public FileHandle(byte[] bytes) {
        if (bytes.length > BYTES_MAX) {
            throw new IllegalArgumentException("a file handle has at most " + BYTES_MAX + " bytes");
        }
        this.bytes = bytes.clone();
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

    /** Returns the bytes as hexadecimal digits. */
    @Override
    public String toString() {
        return HexFormat.of().formatHex(bytes);
    }
}
