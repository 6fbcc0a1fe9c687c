package io.github.rpcrdma4j.nfs.client.local;

import static io.github.rpcrdma4j.nfs.client.local.LinuxFailures.check;

import io.github.rpcrdma4j.linux.Errno;
import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.local.LocalException.Reason;
import java.lang.foreign.ValueLayout;

/**
 * A file that an operation has opened by its path. The operation closes it at its end.
 *
 * <p>Tests: {@code LinuxTreeDepthTest}, {@code LinuxTreeTest}.
 *
 * @param descriptor owned by this object
 */
record OpenedPath(Scratch scratch, int descriptor) implements AutoCloseable {
    /** Flags that keep the kernel below the start directory and forbid it to follow links. */
    static final int RESOLVE =
            Kernel.RESOLVE_BENEATH | Kernel.RESOLVE_NO_SYMLINKS | Kernel.RESOLVE_NO_MAGICLINKS;

    private static final int DIRECTORY = Kernel.O_PATH | Kernel.directory();

    /** The longest path that a system call takes, in bytes without the NUL at its end. */
    private static final int PATH_MAX = Scratch.TEXT_MAX - 1;

    /** The most attempts to resolve a path that other processes change at the same time. */
    private static final int ATTEMPTS_MAX = 64;

    /** Returns whether the kernel supports openat2, and no filter of system calls blocks it. */
    static boolean isKnown(Scratch scratch, int root) {
        long dot = scratch.address + Scratch.DOT;
        int result = open(scratch, root, dot, DIRECTORY);
        if (result >= 0) {
            Kernel.close(scratch, result);
        }
        // A filter often reports EPERM. The kernel never does so for "." in a directory.
        return result != -Errno.NOSYS && result != -Errno.PERM;
    }

    /** Opens a directory by its path; a link in its place is an error. */
    static OpenedPath directory(Scratch scratch, int root, LocalPath directory, String what)
            throws LocalException {
        return of(scratch, root, directory, DIRECTORY, what);
    }

    /** Opens a directory to list it. The start directory itself need not be open to searches. */
    static OpenedPath listing(Scratch scratch, int root, LocalPath directory, String what)
            throws LocalException {
        int flags = Kernel.O_RDONLY | Kernel.O_NONBLOCK | Kernel.directory();
        if (directory.isRoot()) {
            int number = Kernel.reopen(scratch, root, flags);
            if (number >= 0) {
                return new OpenedPath(scratch, number);
            }
        }
        return of(scratch, root, directory, flags, what);
    }

    /** Opens a file by its name in a directory. The file may be a link. */
    static OpenedPath of(Scratch scratch, int directory, long name, String what)
            throws LocalException {
        int flags = Kernel.O_PATH | Kernel.noFollow();
        return new OpenedPath(scratch, check(open(scratch, directory, name, flags), what));
    }

    /**
     * Opens a file by its path from the root. A path too long for one system call is resolved in
     * several steps.
     *
     * @param flags used to open the last name
     */
    static OpenedPath of(Scratch scratch, int root, LocalPath file, int flags, String what)
            throws LocalException {
        int at = root;
        int length = 0;
        try {
            for (var name : file.names()) {
                requireLength(name, Scratch.LONG_NAME_MAX, what);
                if (length + name.length() + 1 > PATH_MAX) {
                    at = next(scratch, root, at, length, DIRECTORY, what);
                    length = 0;
                }
                length = append(scratch, length, name);
            }
            if (length == 0) {
                length = append(scratch, 0, FileName.SELF);
            }
            return new OpenedPath(scratch, end(scratch, at, length, flags, what));
        } finally {
            if (at != root) {
                Kernel.close(scratch, at);
            }
        }
    }

    private static int append(Scratch scratch, int length, FileName name) {
        name.copyTo(scratch.memory, (long) Scratch.TEXT + length);
        int end = length + name.length();
        scratch.memory.set(ValueLayout.JAVA_BYTE, Scratch.TEXT + end, (byte) '/');
        return end + 1;
    }

    /** Opens the next directory of a long path, and closes the previous one. */
    private static int next(Scratch scratch, int root, int at, int length, int flags, String what)
            throws LocalException {
        int next = end(scratch, at, length, flags, what);
        if (at != root) {
            Kernel.close(scratch, at);
        }
        return next;
    }

    /** Opens the path in the buffer; a NUL replaces the last slash. */
    private static int end(Scratch scratch, int at, int length, int flags, String what)
            throws LocalException {
        scratch.memory.set(ValueLayout.JAVA_BYTE, Scratch.TEXT + length - 1L, (byte) 0);
        return check(open(scratch, at, scratch.address + Scratch.TEXT, flags), what);
    }

    private static int open(Scratch scratch, int directory, long path, int flags) {
        int result = -Errno.AGAIN;
        for (int i = 0; i < ATTEMPTS_MAX && result == -Errno.AGAIN; i++) {
            result = Kernel.openat2(scratch, directory, path, flags, 0, RESOLVE);
        }
        return result;
    }

    /** Returns another descriptor of this file. The caller owns it. */
    Descriptor again(String what) throws LocalException {
        return new Descriptor(check(Kernel.duplicate(scratch, descriptor), what));
    }

    /** Writes a name to the buffer of a system call, and returns its address. */
    static long name(Scratch scratch, int at, FileName name, String what) throws LocalException {
        requireLength(name, Scratch.LONG_NAME_MAX, what);
        return scratch.name(at, name.segment());
    }

    private static void requireLength(FileName name, int max, String what) throws LocalException {
        if (name.length() > max) {
            throw new LocalException(what, Reason.NAME_TOO_LONG);
        }
    }

    @Override
    public void close() {
        Kernel.close(scratch, descriptor);
    }
}
