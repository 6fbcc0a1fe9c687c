package io.github.rpcrdma4j.linux;

import static io.github.rpcrdma4j.linux.SystemCalls.call;

import java.lang.foreign.ValueLayout;

/**
 * Leases on open files (fcntl(2), F_SETLEASE): when another descriptor is about to be opened in a
 * way that conflicts, a signal tells one thread, and the opener waits. Each method returns the
 * result of the kernel: a value, or a negative error number. Thread-safe, if each thread uses its
 * own {@link Scratch}.
 */
public final class FileLeases {
    /** Others may open the file for reading. */
    public static final int READ = 0;

    /** Others may not open the file. */
    public static final int WRITE = 1;

    /** What {@link #awaitConflict} returns if the kernel does not say which lease it is. */
    public static final int ANY = Integer.MAX_VALUE;

    private static final int NO_LEASE = 2;
    private static final int F_SETSIG = 10;
    private static final int F_SETOWN_EX = 15;
    private static final int F_SETLEASE = 1024;
    private static final int F_GETLEASE = 1025;
    private static final int F_OWNER_TID = 0;

    /** A signal for real time: the kernel queues one for each lease, with its descriptor. */
    private static final int CONFLICT = 42;

    /** What the kernel sends if its queue is full. */
    private static final int SIGIO = 29;

    private static final int SIG_BLOCK = 0;
    private static final int SIGNAL_BYTES = 8;
    private static final int DESCRIPTOR_AT = 24;
    private static final long NANOS = 1_000_000_000;

    private FileLeases() {}

    /**
     * Prepares the calling thread, a platform thread, to receive conflicts. Nothing else may send
     * it these signals.
     *
     * @return the number of the thread
     */
    public static int receiveConflicts(Scratch scratch) {
        signals(scratch);
        int result =
                call(
                        scratch,
                        CallNumber.RT_SIGPROCMASK,
                        SIG_BLOCK,
                        scratch.address + Scratch.RANGE,
                        0,
                        SIGNAL_BYTES);
        return result < 0 ? result : call(scratch, CallNumber.GETTID, 0);
    }

    private static void signals(Scratch scratch) {
        scratch.number(Scratch.RANGE, 1L << CONFLICT - 1 | 1L << SIGIO - 1);
    }

    /**
     * Waits for a conflict of a lease, or for notices of changes. The calling thread is one that
     * receives conflicts.
     *
     * @return the descriptor with the lease, a queue of {@link FileChanges}, {@link #ANY}, or
     *     EAGAIN if there was nothing in time
     */
    public static int awaitConflict(Scratch scratch, long nanos) {
        signals(scratch);
        scratch.number(Scratch.TIMES, nanos / NANOS);
        scratch.number(Scratch.TIMES + 8, nanos % NANOS);
        int signal =
                call(
                        scratch,
                        CallNumber.RT_SIGTIMEDWAIT,
                        scratch.address + Scratch.RANGE,
                        scratch.address + Scratch.TEXT,
                        scratch.address + Scratch.TIMES,
                        SIGNAL_BYTES);
        if (signal < 0) {
            return signal;
        }
        return signal == CONFLICT
                ? scratch.memory.get(ValueLayout.JAVA_INT, Scratch.TEXT + DESCRIPTOR_AT)
                : ANY;
    }

    /**
     * Takes what the calling thread was told and has not received. There are no leases any more. A
     * signal that is left would end the process: Java unblocks all signals at the end of a thread.
     */
    public static void dropConflicts(Scratch scratch) {
        while (awaitConflict(scratch, 0) >= 0) {}
    }

    /**
     * Takes a lease.
     *
     * @param type READ on a descriptor for reading, or WRITE
     * @param thread who receives conflicts
     * @return EAGAIN if the file is open in a way that conflicts, EACCES if the file belongs to
     *     another user, EINVAL if the file system has no leases
     */
    public static int set(Scratch scratch, int descriptor, int type, int thread) {
        int result = tell(scratch, descriptor, thread);
        return result < 0 ? result : fcntl(scratch, descriptor, F_SETLEASE, type);
    }

    /** Has the kernel tell a thread what happens at a descriptor. */
    static int tell(Scratch scratch, int descriptor, int thread) {
        int result = fcntl(scratch, descriptor, F_SETSIG, CONFLICT);
        if (result < 0) {
            return result;
        }
        scratch.word(Scratch.RANGE, F_OWNER_TID);
        scratch.word(Scratch.RANGE + 4, thread);
        return fcntl(scratch, descriptor, F_SETOWN_EX, scratch.address + Scratch.RANGE);
    }

    /** Returns whether another opener waits for a lease, or has got past it. */
    public static boolean isInConflict(Scratch scratch, int descriptor, int type) {
        return fcntl(scratch, descriptor, F_GETLEASE, 0) != type;
    }

    /** Gives a lease up. */
    public static int end(Scratch scratch, int descriptor) {
        return fcntl(scratch, descriptor, F_SETLEASE, NO_LEASE);
    }

    private static int fcntl(Scratch scratch, int descriptor, int command, long argument) {
        return call(scratch, CallNumber.FCNTL, descriptor, command, argument);
    }
}
