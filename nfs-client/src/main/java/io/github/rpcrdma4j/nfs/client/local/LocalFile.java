package io.github.rpcrdma4j.nfs.client.local;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * An open regular file. Reads and writes are at offsets, so several threads may use it at a time;
 * it is closed when none does. An interrupt of a thread does not close it.
 */
public interface LocalFile extends AutoCloseable {
    /** What this machine tells of it now. */
    LocalStatus status() throws IOException;

    /**
     * Reads.
     *
     * @param target native memory
     * @param offset in the file, in bytes
     * @return how many bytes were read, which may be fewer than there is room for; 0 at the end
     */
    int read(MemorySegment target, long offset) throws IOException;

    /**
     * Writes all bytes.
     *
     * @param source native memory, or memory of the heap
     * @param offset in the file, in bytes
     */
    void write(MemorySegment source, long offset) throws IOException;

    /**
     * Where the next data starts: at the offset or behind a hole.
     *
     * @return the offset itself where holes cannot be found; -1 if there is no data any more
     */
    long data(long offset) throws IOException;

    /**
     * Where the next hole starts, which the end of the file counts as.
     *
     * @return the end of the file where holes cannot be found
     */
    long hole(long offset) throws IOException;

    /** Sets the size; what is added is a hole. */
    void resize(long size) throws IOException;

    /** Changes attributes, as {@link LocalTree#change} does. */
    void change(LocalChanges changes) throws IOException;

    /**
     * Closes it after the last write. Some file systems, those of other machines above all, tell
     * only now that what was written is lost.
     *
     * @throws LocalException then; the file is closed nevertheless
     */
    default void finish() throws IOException {
        close();
    }

    /** Closes it, whatever became of what was written; once it is closed, this does nothing. */
    @Override
    void close();
}
