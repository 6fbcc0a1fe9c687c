package io.github.rpcrdma4j.nfs.client.local;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * An open regular file. Reads and writes take offsets, so several threads may use it at the same
 * time. It is closed when none of them uses it. An interrupt does not close it.
 */
public interface LocalFile extends AutoCloseable {
    /** Returns the current attributes. */
    LocalStatus status() throws IOException;

    /**
     * Reads bytes at an offset.
     *
     * @param target native memory
     * @param offset in the file, in bytes
     * @return how many bytes were read, possibly fewer than fit the target; 0 at the end of the
     *     file
     */
    int read(MemorySegment target, long offset) throws IOException;

    /**
     * Writes all bytes at an offset.
     *
     * @param source native memory, or memory of the heap
     * @param offset in the file, in bytes
     */
    void write(MemorySegment source, long offset) throws IOException;

    /**
     * Returns where the next data starts: at the offset, or after a hole.
     *
     * @return in bytes; the given offset if holes cannot be found; -1 if no data follows
     */
    long data(long offset) throws IOException;

    /**
     * Returns where the next hole starts; the end of the file counts as a hole.
     *
     * @return in bytes; the end of the file if holes cannot be found
     */
    long hole(long offset) throws IOException;

    /** Sets the size in bytes; the added bytes are a hole. */
    void resize(long size) throws IOException;

    /**
     * Waits until all written data is on storage, where the system can ensure that (Linux can).
     *
     * @throws LocalException if written data is lost
     */
    default void sync() throws IOException {}

    /** Changes attributes, as {@link LocalTree#change} does. */
    void change(LocalChanges changes) throws IOException;

    /** Returns the access control lists, as {@link LocalTree#acls} does. */
    ExtendedAcls acls() throws IOException;

    /** Replaces both access control lists, as {@link LocalTree#setAcls} does. */
    void setAcls(ExtendedAcls acls) throws IOException;

    /** Returns the extended attributes of users, as {@link LocalTree#xattrs} does. */
    Optional<UserXattrs> xattrs() throws IOException;

    /** Replaces the extended attributes of users, as {@link LocalTree#setXattrs} does. */
    void setXattrs(UserXattrs xattrs, String name) throws IOException;

    /**
     * Closes the file after its last write. Some file systems, above all network file systems,
     * report only now that written data is lost.
     *
     * @throws LocalException if written data is lost; the file is closed nevertheless
     */
    default void finish() throws IOException {
        close();
    }

    /** Closes the file, without regard to lost writes. Closing twice has no effect. */
    @Override
    void close();
}
