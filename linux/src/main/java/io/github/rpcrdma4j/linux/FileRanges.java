package io.github.rpcrdma4j.linux;

import static io.github.rpcrdma4j.linux.SystemCalls.call;

import java.lang.foreign.ValueLayout;

/**
 * System calls of Linux on ranges of open files: their storage, copies of their data, and locks.
 * Each returns the result of the kernel: a value, or a negative error number. Thread-safe, if each
 * thread uses its own {@link Scratch}.
 */
public final class FileRanges {
    /** A lock for reading, which other such locks may overlap. */
    public static final int LOCK_READ = 0;

    public static final int LOCK_WRITE = 1;

    /** No lock: removes one, or reports that there is none. */
    public static final int LOCK_NONE = 2;

    private static final int FALLOC_KEEP_SIZE = 0x1;
    private static final int FALLOC_PUNCH_HOLE = 0x2;
    private static final int F_OFD_GETLK = 36;
    private static final int F_OFD_SETLK = 37;

    /** {@code FICLONERANGE}. */
    private static final long CLONE_RANGE = 0x4020940dL;

    private FileRanges() {}

    /** Provides a range with storage. A file that ends before the end of the range grows. */
    public static int allocate(Scratch scratch, int descriptor, long offset, long length) {
        return (int) call(scratch, CallNumber.FALLOCATE, descriptor, 0, offset, length, 0, 0);
    }

    /** Frees the storage of a range, which reads as zeros afterwards. The size stays the same. */
    public static int punchHole(Scratch scratch, int descriptor, long offset, long length) {
        int mode = FALLOC_PUNCH_HOLE | FALLOC_KEEP_SIZE;
        return (int) call(scratch, CallNumber.FALLOCATE, descriptor, mode, offset, length, 0, 0);
    }

    /**
     * Copies bytes between two files.
     *
     * @return the number of bytes copied, at most {@code length}; 0 at the end of the source
     */
    public static int copy(
            Scratch scratch, int source, long offset, int target, long targetOffset, int length) {
        scratch.number(Scratch.RANGE, offset);
        scratch.number(Scratch.RANGE + 8, targetOffset);
        return (int)
                call(
                        scratch,
                        CallNumber.COPY_FILE_RANGE,
                        source,
                        scratch.address + Scratch.RANGE,
                        target,
                        scratch.address + Scratch.RANGE + 8,
                        length,
                        0);
    }

    /**
     * Makes a range of a file share the storage of a range of another one.
     *
     * @param length 0 for all up to the end of the source
     */
    public static int cloneRange(
            Scratch scratch, int source, long offset, int target, long targetOffset, long length) {
        scratch.number(Scratch.RANGE, source);
        scratch.number(Scratch.RANGE + 8, offset);
        scratch.number(Scratch.RANGE + 16, length);
        scratch.number(Scratch.RANGE + 24, targetOffset);
        return Kernel.ioctl(scratch, target, CLONE_RANGE, scratch.address + Scratch.RANGE);
    }

    /**
     * Sets or removes a lock of an open file description (fcntl(2)), without waiting.
     *
     * @param type one of the {@code LOCK_} values
     * @param length 0 for all bytes from the offset on
     * @return EAGAIN if a lock of another process conflicts
     */
    public static int setLock(Scratch scratch, int descriptor, int type, long offset, long length) {
        return lock(scratch, descriptor, F_OFD_SETLK, type, offset, length);
    }

    /**
     * Reads the first lock that conflicts with a lock, for {@link #lockType}, {@link #lockOffset}
     * and {@link #lockLength}.
     */
    public static int getLock(Scratch scratch, int descriptor, int type, long offset, long length) {
        return lock(scratch, descriptor, F_OFD_GETLK, type, offset, length);
    }

    /**
     *
     *
     * <pre>
     *   struct flock: 0 type(16)  2 whence(16)  8 offset(64)  16 length(64)  24 process(32)
     * </pre>
     */
    private static int lock(
            Scratch scratch, int descriptor, int command, int type, long offset, long length) {
        scratch.number(Scratch.RANGE, 0);
        scratch.memory.set(ValueLayout.JAVA_SHORT, Scratch.RANGE, (short) type);
        scratch.number(Scratch.RANGE + 8, offset);
        scratch.number(Scratch.RANGE + 16, length);
        scratch.number(Scratch.RANGE + 24, 0);
        return call(
                scratch, CallNumber.FCNTL, descriptor, command, scratch.address + Scratch.RANGE);
    }

    /** Returns the type that {@link #getLock} found; {@link #LOCK_NONE} if there is no lock. */
    public static int lockType(Scratch scratch) {
        return scratch.memory.get(ValueLayout.JAVA_SHORT, Scratch.RANGE);
    }

    public static long lockOffset(Scratch scratch) {
        return scratch.number(Scratch.RANGE + 8);
    }

    /** Returns the length that {@link #getLock} found; 0 for all bytes from the offset on. */
    public static long lockLength(Scratch scratch) {
        return scratch.number(Scratch.RANGE + 16);
    }
}
