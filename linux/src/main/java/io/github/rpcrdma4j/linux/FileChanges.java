package io.github.rpcrdma4j.linux;

import static io.github.rpcrdma4j.linux.SystemCalls.call;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.IntConsumer;

/**
 * Notices of changes of the attributes and the names of files (inotify(7)). Each method returns the
 * result of the kernel: a value, or a negative error number. Thread-safe, if each thread uses its
 * own {@link Scratch}.
 *
 * <pre>
 *   watch(32) | what happened(32) | cookie(32) | length(32) | name(length)
 * </pre>
 */
public final class FileChanges {
    /** What {@link #read} tells if the kernel has lost notices. */
    public static final int ANY = -1;

    private static final int IN_ATTRIB = 0x4;
    private static final int IN_DELETE_SELF = 0x400;
    private static final int IN_MOVE_SELF = 0x800;
    private static final int IN_MASK_ADD = 0x20000000;
    private static final int F_SETFL = 4;
    private static final int O_ASYNC = 020000;
    private static final int LENGTH_AT = 12;
    private static final int NOTICE_BYTES = 16;

    private FileChanges() {}

    /**
     * Opens a queue of notices.
     *
     * @param thread one that receives conflicts of leases; {@link FileLeases#awaitConflict} returns
     *     the queue when it is no longer empty
     * @return the descriptor of the queue
     */
    public static int open(Scratch scratch, int thread) {
        int queue = call(scratch, CallNumber.INOTIFY_INIT1, Kernel.O_NONBLOCK | Kernel.O_CLOEXEC);
        if (queue < 0) {
            return queue;
        }
        int result = FileLeases.tell(scratch, queue, thread);
        if (result >= 0) {
            result = call(scratch, CallNumber.FCNTL, queue, F_SETFL, O_ASYNC | Kernel.O_NONBLOCK);
        }
        if (result < 0) {
            Kernel.close(scratch, queue);
            return result;
        }
        return queue;
    }

    /**
     * Watches an open file.
     *
     * @return the number of the watch, that of an earlier one if the file is watched; ENOSPC if the
     *     user has too many
     */
    public static int watch(Scratch scratch, int queue, int descriptor) {
        // Without IN_MASK_ADD the kernel clears the mask of a watched file for a moment, and a
        // change in that moment is not told.
        return call(
                scratch,
                CallNumber.INOTIFY_ADD_WATCH,
                queue,
                scratch.selfDescriptor(descriptor),
                IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF | IN_MASK_ADD);
    }

    /** Ends a watch; a last notice follows. */
    public static int end(Scratch scratch, int queue, int watch) {
        return call(scratch, CallNumber.INOTIFY_RM_WATCH, queue, watch);
    }

    /**
     * Reads the notices that there are.
     *
     * @param changed receives the watch of each notice, or {@link #ANY}
     */
    public static void read(Scratch scratch, int queue, IntConsumer changed) {
        while (true) {
            int bytes =
                    call(
                            scratch,
                            CallNumber.READ,
                            queue,
                            scratch.address + Scratch.TEXT,
                            Scratch.TEXT_MAX);
            if (bytes <= 0) {
                return;
            }
            decode(scratch.memory.asSlice(Scratch.TEXT, bytes), changed);
        }
    }

    /** Closes a queue. From now on nothing is told, even if a process that starts has a copy. */
    public static void close(Scratch scratch, int queue) {
        call(scratch, CallNumber.FCNTL, queue, F_SETFL, Kernel.O_NONBLOCK);
        Kernel.close(scratch, queue);
    }

    static void decode(MemorySegment notices, IntConsumer changed) {
        long at = 0;
        while (notices.byteSize() - at >= NOTICE_BYTES) {
            changed.accept(notices.get(ValueLayout.JAVA_INT_UNALIGNED, at));
            long length =
                    Integer.toUnsignedLong(
                            notices.get(ValueLayout.JAVA_INT_UNALIGNED, at + LENGTH_AT));
            at += NOTICE_BYTES + length;
        }
    }
}
