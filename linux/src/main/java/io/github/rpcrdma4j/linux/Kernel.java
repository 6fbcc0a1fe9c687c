package io.github.rpcrdma4j.linux;

import static io.github.rpcrdma4j.linux.SystemCalls.call;
import static io.github.rpcrdma4j.linux.SystemCalls.callOnce;

import io.github.rpcrdma4j.linux.CallNumber.Machine;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/**
 * System calls of Linux on files. Each returns the result of the kernel: a value, or a negative
 * error number. Arguments and results lie in a {@link Scratch}. Thread-safe, if each thread uses
 * its own {@link Scratch}.
 *
 * <p>Tests: {@code LinuxStoreContractTest}.
 */
public final class Kernel {
    public static final int AT_FDCWD = -100;
    public static final int AT_SYMLINK_NOFOLLOW = 0x100;
    public static final int AT_REMOVEDIR = 0x200;
    public static final int AT_SYMLINK_FOLLOW = 0x400;
    public static final int AT_EACCESS = 0x200;
    public static final int AT_NO_AUTOMOUNT = 0x800;
    public static final int AT_EMPTY_PATH = 0x1000;

    public static final int O_RDONLY = 0;
    public static final int O_WRONLY = 1;
    public static final int O_RDWR = 2;
    public static final int O_CREAT = 0100;
    public static final int O_EXCL = 0200;
    public static final int O_NOCTTY = 0400;
    public static final int O_NONBLOCK = 04000;
    public static final int O_CLOEXEC = 02000000;
    public static final int O_PATH = 010000000;
    private static final int TMPFILE_BIT = 020000000;

    public static final int RESOLVE_NO_XDEV = 0x01;
    public static final int RESOLVE_NO_MAGICLINKS = 0x02;
    public static final int RESOLVE_NO_SYMLINKS = 0x04;
    public static final int RESOLVE_BENEATH = 0x08;
    public static final int RESOLVE_CACHED = 0x20;

    /** Makes a rename fail if the new name exists. */
    public static final int RENAME_NOREPLACE = 0x1;

    /** Exchanges the files of two names. */
    public static final int RENAME_EXCHANGE = 0x2;

    public static final int SEEK_DATA = 3;
    public static final int SEEK_HOLE = 4;

    /** Stands for the nanoseconds of a time to leave unchanged. */
    public static final int UTIME_OMIT = 0x3ffffffe;

    private static final int OPEN_HOW_BYTES = 24;
    private static final int STATX_WANTED = 0x17ff | 0x800;
    private static final int AT_STATX_DONT_SYNC = 0x4000;
    private static final int UTIME_BYTES = 16;
    private static final int RWF_NOWAIT = 0x8;
    private static final int F_DUPFD_CLOEXEC = 1030;
    private static final int FADV_DONTNEED = 4;
    private static final int RLIMIT_NOFILE = 7;
    private static final int DESCRIPTORS_USUAL = 1024;

    private Kernel() {}

    public static int directory() {
        return Machine.OF.directoryFlag;
    }

    public static int noFollow() {
        return Machine.OF.noFollowFlag;
    }

    public static int temporary() {
        return TMPFILE_BIT | Machine.OF.directoryFlag;
    }

    /** Opens a path without restrictions on its resolution. */
    public static int openat(Scratch scratch, int directory, long path, int flags, int mode) {
        return call(scratch, CallNumber.OPENAT, directory, path, flags | O_CLOEXEC, mode);
    }

    /**
     * Opens a name in a directory.
     *
     * @param resolve the {@code RESOLVE_} flags that restrict how the kernel resolves the name
     */
    public static int openat2(
            Scratch scratch, int directory, long path, int flags, int mode, int resolve) {
        scratch.number(Scratch.OPEN_HOW, Integer.toUnsignedLong(flags | O_CLOEXEC));
        scratch.number(Scratch.OPEN_HOW + 8, mode);
        scratch.number(Scratch.OPEN_HOW + 16, resolve);
        return call(
                scratch,
                CallNumber.OPENAT2,
                directory,
                path,
                scratch.address + Scratch.OPEN_HOW,
                OPEN_HOW_BYTES);
    }

    /** Opens the file of a descriptor again. The file must not be a FIFO, socket or device. */
    public static int reopen(Scratch scratch, int descriptor, int flags) {
        return openat(
                scratch,
                AT_FDCWD,
                scratch.selfDescriptor(descriptor),
                flags | O_NONBLOCK | O_NOCTTY,
                0);
    }

    /** Returns another descriptor of an open file, with the locks and leases of the first. */
    public static int duplicate(Scratch scratch, int descriptor) {
        return call(scratch, CallNumber.FCNTL, descriptor, F_DUPFD_CLOEXEC, 0);
    }

    public static int close(Scratch scratch, int descriptor) {
        // Linux has closed the descriptor even if it returns EINTR. Another file may have its
        // number by now, so the call is not repeated.
        int result = callOnce(scratch, CallNumber.CLOSE, descriptor);
        return result == -Errno.INTR ? 0 : result;
    }

    /** Reads the attributes of an open file to {@link Scratch#STATX}. */
    public static int statx(Scratch scratch, int descriptor) {
        return statx(scratch, descriptor, scratch.address + Scratch.EMPTY_NAME);
    }

    /** Reads the attributes of what has a name in a directory to {@link Scratch#STATX}. */
    public static int statx(Scratch scratch, int directory, long name) {
        return statx(scratch, directory, name, 0);
    }

    /**
     * Reads the attributes of an open file to {@link Scratch#STATX} as far as the kernel knows
     * them. It asks no server of a file system for them, so it does not wait for one.
     */
    public static int knownStatx(Scratch scratch, int descriptor) {
        long name = scratch.address + Scratch.EMPTY_NAME;
        return statx(scratch, descriptor, name, AT_STATX_DONT_SYNC);
    }

    private static int statx(Scratch scratch, int directory, long name, int flags) {
        return call(
                scratch,
                CallNumber.STATX,
                directory,
                name,
                AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | flags,
                STATX_WANTED,
                scratch.address + Scratch.STATX);
    }

    /** Reads the handle of an open file to {@link Scratch#HANDLE}. */
    public static int nameToHandle(Scratch scratch, int descriptor) {
        scratch.word(Scratch.HANDLE, Scratch.HANDLE_MAX);
        return call(
                scratch,
                CallNumber.NAME_TO_HANDLE_AT,
                descriptor,
                scratch.address + Scratch.EMPTY_NAME,
                scratch.address + Scratch.HANDLE,
                scratch.address + Scratch.IOVEC,
                AT_EMPTY_PATH);
    }

    /** Opens the file whose handle is at {@link Scratch#HANDLE}. */
    public static int openByHandle(Scratch scratch, int mount, int flags) {
        return call(
                scratch,
                CallNumber.OPEN_BY_HANDLE_AT,
                mount,
                scratch.address + Scratch.HANDLE,
                flags | O_CLOEXEC);
    }

    /**
     * Checks whether the effective user has the wanted access to an open file: returns 0 or an
     * error.
     */
    public static int faccess(Scratch scratch, int descriptor, int wanted) {
        return call(
                scratch,
                CallNumber.FACCESSAT2,
                descriptor,
                scratch.address + Scratch.EMPTY_NAME,
                wanted,
                AT_EMPTY_PATH | AT_EACCESS);
    }

    public static int mkdirat(Scratch scratch, int directory, long name, int mode) {
        return call(scratch, CallNumber.MKDIRAT, directory, name, mode);
    }

    public static int mknodat(Scratch scratch, int directory, long name, int mode, long device) {
        return call(scratch, CallNumber.MKNODAT, directory, name, mode, device);
    }

    public static int symlinkat(Scratch scratch, long text, int directory, long name) {
        return call(scratch, CallNumber.SYMLINKAT, text, directory, name);
    }

    public static int unlinkat(Scratch scratch, int directory, long name, int flags) {
        return call(scratch, CallNumber.UNLINKAT, directory, name, flags);
    }

    public static int renameat2(
            Scratch scratch, int from, long name, int to, long newName, int flags) {
        return call(scratch, CallNumber.RENAMEAT2, from, name, to, newName, flags);
    }

    /** Creates a hard link to the file of a descriptor. */
    public static int linkat(Scratch scratch, int descriptor, int directory, long name) {
        return call(
                scratch,
                CallNumber.LINKAT,
                AT_FDCWD,
                scratch.selfDescriptor(descriptor),
                directory,
                name,
                AT_SYMLINK_FOLLOW);
    }

    /** Creates a hard link to the file of a name. A symbolic link at that name is not followed. */
    public static int linkat(Scratch scratch, int from, long name, int to, long newName) {
        return call(scratch, CallNumber.LINKAT, from, name, to, newName, 0);
    }

    /** Reads the text of an open symbolic link to {@link Scratch#TEXT}. */
    public static int readlink(Scratch scratch, int descriptor) {
        return call(
                scratch,
                CallNumber.READLINKAT,
                descriptor,
                scratch.address + Scratch.EMPTY_NAME,
                scratch.address + Scratch.TEXT,
                Scratch.TEXT_MAX);
    }

    /**
     * Reads where an open file is now to {@link Scratch#TEXT}, as {@code /proc/self/fd} tells
     * (proc(5)).
     */
    public static int path(Scratch scratch, int descriptor) {
        return call(
                scratch,
                CallNumber.READLINKAT,
                AT_FDCWD,
                scratch.selfDescriptor(descriptor),
                scratch.address + Scratch.TEXT,
                Scratch.TEXT_MAX);
    }

    /** Sets the mode of an open file. Works on kernels before Linux 6.6 as well. */
    public static int fchmod(Scratch scratch, int descriptor, int mode) {
        int result =
                call(
                        scratch,
                        CallNumber.FCHMODAT2,
                        descriptor,
                        scratch.address + Scratch.EMPTY_NAME,
                        mode,
                        AT_EMPTY_PATH);
        // A kernel without the call returns ENOSYS; a filter of system calls often returns EPERM.
        return result == -Errno.NOSYS || result == -Errno.PERM
                ? fchmodByDescriptor(scratch, descriptor, mode)
                : result;
    }

    private static int fchmodByDescriptor(Scratch scratch, int descriptor, int mode) {
        return call(
                scratch, CallNumber.FCHMODAT, AT_FDCWD, scratch.selfDescriptor(descriptor), mode);
    }

    /** Sets the owner; -1 keeps the user or the group. */
    public static int fchown(Scratch scratch, int descriptor, int uid, int gid) {
        return call(
                scratch,
                CallNumber.FCHOWNAT,
                descriptor,
                scratch.address + Scratch.EMPTY_NAME,
                uid,
                gid,
                AT_EMPTY_PATH);
    }

    /**
     * Sets the times of an open file.
     *
     * @param times two struct timespec, or 0 for now
     */
    public static int utimens(Scratch scratch, int descriptor, long times) {
        return call(
                scratch,
                CallNumber.UTIMENSAT,
                descriptor,
                scratch.address + Scratch.EMPTY_NAME,
                times,
                AT_EMPTY_PATH);
    }

    /** Writes one of the two times for {@link #utimens}, and returns the address of both. */
    public static long time(Scratch scratch, int index, long seconds, long nanos) {
        scratch.number(Scratch.TIMES + (long) index * UTIME_BYTES, seconds);
        scratch.number(Scratch.TIMES + (long) index * UTIME_BYTES + 8, nanos);
        return scratch.address + Scratch.TIMES;
    }

    public static int ftruncate(Scratch scratch, int descriptor, long size) {
        return call(scratch, CallNumber.FTRUNCATE, descriptor, size);
    }

    public static int fsync(Scratch scratch, int descriptor) {
        return call(scratch, CallNumber.FSYNC, descriptor);
    }

    public static int fdatasync(Scratch scratch, int descriptor) {
        return call(scratch, CallNumber.FDATASYNC, descriptor);
    }

    /**
     * Drops the clean pages of a file from the page cache. Pages that are clean because a write to
     * storage failed are dropped too.
     */
    public static int forgetCached(Scratch scratch, int descriptor) {
        return call(scratch, CallNumber.FADVISE64, descriptor, 0, 0, FADV_DONTNEED);
    }

    public static int syncfs(Scratch scratch, int descriptor) {
        return call(scratch, CallNumber.SYNCFS, descriptor);
    }

    public static int pread(
            Scratch scratch, int descriptor, MemorySegment target, long at, long max, long offset) {
        long result =
                call(
                        scratch,
                        CallNumber.PREAD64,
                        descriptor,
                        target.address() + at,
                        max,
                        offset,
                        0,
                        0);
        Reference.reachabilityFence(target);
        return (int) result;
    }

    /** Reads the bytes that need no wait for a disk; returns EAGAIN if there are none. */
    public static int preadWithoutWaiting(
            Scratch scratch, int descriptor, MemorySegment target, long at, long max, long offset) {
        scratch.number(Scratch.IOVEC, target.address() + at);
        scratch.number(Scratch.IOVEC + 8, max);
        long result =
                call(
                        scratch,
                        CallNumber.PREADV2,
                        descriptor,
                        scratch.address + Scratch.IOVEC,
                        1,
                        offset,
                        0,
                        RWF_NOWAIT);
        Reference.reachabilityFence(target);
        return (int) result;
    }

    public static int pwrite(
            Scratch scratch, int descriptor, MemorySegment source, long at, long max, long offset) {
        long result =
                call(
                        scratch,
                        CallNumber.PWRITE64,
                        descriptor,
                        source.address() + at,
                        max,
                        offset,
                        0,
                        0);
        Reference.reachabilityFence(source);
        return (int) result;
    }

    public static long lseek(Scratch scratch, int descriptor, long offset) {
        return lseek(scratch, descriptor, offset, 0);
    }

    /**
     * Moves the position of an open file, or seeks data or a hole.
     *
     * @param whence 0, {@link #SEEK_DATA} or {@link #SEEK_HOLE}
     */
    public static long lseek(Scratch scratch, int descriptor, long offset, int whence) {
        return call(scratch, CallNumber.LSEEK, descriptor, offset, whence, 0, 0, 0);
    }

    public static int getdents(Scratch scratch, int descriptor, MemorySegment target) {
        int result =
                call(
                        scratch,
                        CallNumber.GETDENTS64,
                        descriptor,
                        target.address(),
                        target.byteSize());
        Reference.reachabilityFence(target);
        return result;
    }

    /** Reads the free and total space of a file system to {@link Scratch#STATFS}. */
    public static int fstatfs(Scratch scratch, int descriptor) {
        return call(scratch, CallNumber.FSTATFS, descriptor, scratch.address + Scratch.STATFS);
    }

    public static int ioctl(Scratch scratch, int descriptor, long request, long argument) {
        return call(scratch, CallNumber.IOCTL, descriptor, request, argument);
    }

    /** Opens a mount, or a private copy of it, as a descriptor. */
    public static int openTree(Scratch scratch, int directory, long path, int flags) {
        return call(scratch, CallNumber.OPEN_TREE, directory, path, flags);
    }

    /** Sets attributes of the mount of a descriptor; {@code attributes} is a struct mount_attr. */
    public static int mountSetattr(Scratch scratch, int descriptor, long attributes, long bytes) {
        return call(
                scratch,
                CallNumber.MOUNT_SETATTR,
                descriptor,
                scratch.address + Scratch.EMPTY_NAME,
                AT_EMPTY_PATH,
                attributes,
                bytes);
    }

    /** Returns how many descriptors this process may have open. */
    public static long descriptorsMax(Scratch scratch) {
        int result =
                call(
                        scratch,
                        CallNumber.PRLIMIT64,
                        0,
                        RLIMIT_NOFILE,
                        0,
                        scratch.address + Scratch.TIMES);
        return result < 0 ? DESCRIPTORS_USUAL : scratch.number(Scratch.TIMES);
    }
}
