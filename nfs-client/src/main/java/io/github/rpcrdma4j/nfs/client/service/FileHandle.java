package io.github.rpcrdma4j.nfs.client.service;

import io.github.rpcrdma4j.oncrpc.KeyedHash;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Optional;

/**
 * Names a file of a server for as long as the file exists: bytes that only the server can
 * interpret, and that it gave under any version of NFS. Immutable.
 */
public final class FileHandle {
    /** The most bytes of any version: those of version 4 (RFC 8881, Section 3.3.3). */
    public static final int BYTES_MAX = 128;

    private final byte[] bytes;
    private final Refused refused;

    /**
     * Stands for the handle of a file that a listing has found, and that the server does not let
     * this client use. Nothing else is known of the file, but for its name.
     *
     * @param place where it was found
     * @param why what the server said of it when it was listed; empty for a file system that is at
     *     another server, or that wants another flavor: each use asks what the server says
     */
    public record Refused(RemotePlace place, Optional<Status> why) {}

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
        this.refused = null;
    }

    private FileHandle(Refused refused) {
        this.bytes = new byte[0];
        this.refused = refused;
    }

    /** Returns what stands for the handle of a file. Calls with it fail. It has no bytes. */
    public static FileHandle ofRefused(Refused refused) {
        return new FileHandle(refused);
    }

    /** Returns which file the server does not let this client use; empty for others. */
    public Optional<Refused> refused() {
        return Optional.ofNullable(refused);
    }

    /** Returns a copy of the bytes. */
    public byte[] bytes() {
        return bytes.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FileHandle handle
                && Arrays.equals(bytes, handle.bytes)
                && Objects.equals(refused, handle.refused);
    }

    @Override
    public int hashCode() {
        return refused == null ? KeyedHash.of(bytes) : refused.hashCode();
    }

    /** Returns the bytes as hexadecimal digits. */
    @Override
    public String toString() {
        return refused == null ? HexFormat.of().formatHex(bytes) : "refused " + refused;
    }
}
