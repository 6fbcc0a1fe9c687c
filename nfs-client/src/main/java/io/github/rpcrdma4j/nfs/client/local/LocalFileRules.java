package io.github.rpcrdma4j.nfs.client.local;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.local.LocalException.Reason;
import java.lang.foreign.MemorySegment;

/** Checks that a file may be opened, and the arguments of {@link LocalFile} methods. */
final class LocalFileRules {
    private LocalFileRules() {}

    /** Refuses a file that must not be opened: it could block or have side effects. */
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
     * Checks the arguments of a read.
     *
     * @throws IllegalStateException if the file was opened for writing, or this thread may not use
     *     the memory
     * @throws IllegalArgumentException if the target cannot be written, or the offset is out of
     *     range
     */
    static void requireToRead(boolean writable, MemorySegment target, long offset) {
        if (writable) {
            throw new IllegalStateException("the file is open for writing");
        }
        if (!target.isNative() || target.isReadOnly()) {
            throw new IllegalArgumentException("not writable native memory");
        }
        requireUsable(target);
        requireOffset(offset, target.byteSize());
    }

    /**
     * Checks the arguments of a write.
     *
     * @throws IllegalStateException if the file was opened for reading, or this thread may not use
     *     the memory
     * @throws IllegalArgumentException if the offset is out of range
     */
    static void requireToWrite(boolean writable, MemorySegment source, long offset) {
        requireWritable(writable);
        requireUsable(source);
        requireOffset(offset, source.byteSize());
    }

    static void requireWritable(boolean writable) {
        if (!writable) {
            throw new IllegalStateException("the file is open for reading");
        }
    }

    /** Checks that the memory is alive and accessible, which the kernel would not do. */
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
