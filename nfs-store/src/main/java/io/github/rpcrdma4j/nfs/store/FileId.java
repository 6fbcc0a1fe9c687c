package io.github.rpcrdma4j.nfs.store;

import io.github.rpcrdma4j.oncrpc.KeyedHash;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * The identity of a file within a store, also distinct from earlier files with its inode number.
 * The store chooses its bytes, which become part of the file handle. It stays valid after a restart
 * as far as the file system allows. A client may come with the identity of a file that is long
 * gone: a path or a number that another file can get needs something that tells the two apart.
 * Immutable.
 */
public final class FileId {
    /** The most bytes of an identity that fit into a handle of NFS version 3. */
    public static final int BYTES_MAX = 42;

    private final byte[] bytes;
    private final int hash;

    /**
     * Makes the identity of a file.
     *
     * @param bytes at most {@link #BYTES_MAX}; not copied, so the caller must not change them
     */
    public FileId(byte[] bytes) {
        if (bytes.length > BYTES_MAX) {
            throw new IllegalArgumentException("a file id has at most 42 bytes");
        }
        this.bytes = bytes;
        this.hash = KeyedHash.of(bytes);
    }

    /** Returns the bytes without a copy; the caller must not change them. */
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
