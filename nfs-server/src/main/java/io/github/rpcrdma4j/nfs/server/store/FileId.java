package io.github.rpcrdma4j.nfs.server.store;

import java.util.Arrays;
import java.util.HexFormat;

/**
 * What tells a file from all others of a store, also from those that had its inode number before:
 * the part of a file handle that the store chooses. It stays valid when the server starts again, as
 * far as the file system allows. Immutable.
 */
public final class FileId {
    /** The longest, in bytes: a handle of NFS version 3 has room for it. */
    public static final int BYTES_MAX = 42;

    private final byte[] bytes;
    private final int hash;

    /**
     * @param bytes at most {@link #BYTES_MAX}; they become the property of this object
     */
    public FileId(byte[] bytes) {
        if (bytes.length > BYTES_MAX) {
            throw new IllegalArgumentException("a file id has at most 42 bytes");
        }
        this.bytes = bytes;
        this.hash = Arrays.hashCode(bytes);
    }

    /** The bytes themselves; they are not to be changed. */
    public byte[] bytes() {
        return bytes;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FileId id && hash == id.hash && Arrays.equals(bytes, id.bytes);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public String toString() {
        return HexFormat.of().formatHex(bytes);
    }
}
