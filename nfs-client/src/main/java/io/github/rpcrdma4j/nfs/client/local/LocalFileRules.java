package io.github.rpcrdma4j.nfs.client.local;

import io.github.rpcrdma4j.nfs.client.local.LocalException.Reason;
import io.github.rpcrdma4j.nfs.v3.FileType;
import java.lang.foreign.MemorySegment;

/** What a {@link LocalFile} has to be, and what it asks of its callers. */
final class LocalFileRules {
    private LocalFileRules() {}

    /** Refuses what must not be opened: it could block, or do something. */
    static void requireRegular(FileType type, String what) throws LocalException {
        switch (type) {
            case REGULAR -> {}
            case DIRECTORY -> throw new LocalException(what, Reason.IS_A_DIRECTORY);
            case SYMBOLIC_LINK -> throw new LocalException(what, Reason.LINK);
            case BLOCK_DEVICE, CHARACTER_DEVICE, SOCKET, FIFO ->
                    throw new LocalException(what, Reason.UNSUPPORTED, "not a regular file");
        }
    }

    /**
     * @throws IllegalStateException if the file was opened to write it
     * @throws IllegalArgumentException if nothing can be read to there, or from there
     */
    static void requireToRead(boolean writable, MemorySegment target, long offset) {
        if (writable) {
            throw new IllegalStateException("the file is open to be written");
        }
        if (!target.isNative() || target.isReadOnly()) {
            throw new IllegalArgumentException("not native memory that can be written");
        }
        requireUsable(target);
        requireOffset(offset, target.byteSize());
    }

    /**
     * @throws IllegalStateException if the file was opened to read it
     * @throws IllegalArgumentException if nothing can be written from there, or to there
     */
    static void requireToWrite(boolean writable, MemorySegment source, long offset) {
        requireWritable(writable);
        requireUsable(source);
        requireOffset(offset, source.byteSize());
    }

    static void requireWritable(boolean writable) {
        if (!writable) {
            throw new IllegalStateException("the file is open to be read");
        }
    }

    /** The kernel would not ask whether the memory is still there. */
    private static void requireUsable(MemorySegment memory) {
        if (!memory.scope().isAlive() || !memory.isAccessibleBy(Thread.currentThread())) {
            throw new IllegalStateException("this thread may not use the memory");
        }
    }

    static void requireOffset(long offset, long bytes) {
        if (offset < 0 || offset > Long.MAX_VALUE - bytes) {
            throw new IllegalArgumentException("no offset in a file: " + offset);
        }
    }
}
