package io.github.rpcrdma4j.linux;

import static io.github.rpcrdma4j.linux.SystemCalls.call;
import static io.github.rpcrdma4j.linux.SystemCalls.callOnce;

import io.github.rpcrdma4j.linux.CallNumber.Machine;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/**
 * System calls of Linux on files. Each returns what the kernel returns: a result, or an error
 * number made negative. Arguments and results lie in a {@link Scratch}. Thread-safe.
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

    /** Renames only where the new name is free. */
    public static final int RENAME_NOREPLACE = 0x1;

    /** Gives each of two names the file of the other. */
    public static final int RENAME_EXCHANGE = 0x2;

    public static final int SEEK_DATA = 3;
    public static final int SEEK_HOLE = 4;

    /** In place of the nanoseconds of a time that is not to be changed. */
    public static final int UTIME_OMIT = 0x3ffffffe;

    private static final int OPEN_HOW_BYTES = 24;
    private static final int STATX_WANTED = 0x17ff | 0x800;
    private static final int UTIME_BYTES = 16;
    private static final int RWF_NOWAIT = 0x8;
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

    /** Opens by a path, at the start alone. */
    public static int openat(Scratch scratch, int directory, long path, int flags, int mode) {
        return call(scratch, CallNumber.OPENAT, directory, path, flags | O_CLOEXEC, mode);
    }

    /**
     * Opens a name in a directory.
     *
     * @param resolve how far the kernel may go to find it
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

    /** Opens the file of a descriptor once more; it is never a FIFO, socket or device. */
    public static int reopen(Scratch scratch, int descriptor, int flags) {
        return openat(
                scratch,
                AT_FDCWD,
                scratch.selfDescriptor(descriptor),
                flags | O_NONBLOCK | O_NOCTTY,
                0);
    }

    public static int close(Scratch scratch, int descriptor) {
        // Linux has closed it even when it says EINTR; by now another file may have the number.
        int result = callOnce(scratch, CallNumber.CLOSE, descriptor);
        return result == -Errno.INTR ? 0 : result;
    }

    /** Asks for the attributes of an open file; they are then at {@link Scratch#STATX}. */
    public static int statx(Scratch scratch, int descriptor) {
        return call(
                scratch,
                CallNumber.STATX,
                descriptor,
                scratch.address + Scratch.EMPTY_NAME,
                AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT,
                STATX_WANTED,
                scratch.address + Scratch.STATX);
    }

    /** Asks for the handle of an open file; it is then at {@link Scratch#HANDLE}. */
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

    /** Whether the effective user may do this with an open file: 0, or an error. */
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

    /** Gives the file of a descriptor a name. */
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

    /** Gives the file of a name one more name; a link is not followed. */
    public static int linkat(Scratch scratch, int from, long name, int to, long newName) {
        return call(scratch, CallNumber.LINKAT, from, name, to, newName, 0);
    }

    /** Whether a directory has a default ACL: bytes of it, or an error. */
    public static int defaultAcl(Scratch scratch, int directory) {
        return call(
                scratch,
                CallNumber.GETXATTR,
                scratch.selfDescriptor(directory),
                scratch.address + Scratch.DEFAULT_ACL,
                0,
                0);
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

    /** Sets the mode of an open file, also where the kernel is older than Linux 6.6. */
    public static int fchmod(Scratch scratch, int descriptor, int mode) {
        int result =
                call(
                        scratch,
                        CallNumber.FCHMODAT2,
                        descriptor,
                        scratch.address + Scratch.EMPTY_NAME,
                        mode,
                        AT_EMPTY_PATH);
        // A kernel that does not know the call says ENOSYS, a filter of system calls often EPERM.
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

    /** Puts one of the two times where {@link #utimens} wants it, and returns where both are. */
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

    /** Takes what is on storage already, or was lost, out of the memory that caches a file. */
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

    /** Reads what can be read without waiting for a disk; EAGAIN if nothing can. */
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
     * Moves the position of an open file, or looks for data or a hole by it.
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

    /** Asks for the room of a file system; it is then at {@link Scratch#STATFS}. */
    public static int fstatfs(Scratch scratch, int descriptor) {
        return call(scratch, CallNumber.FSTATFS, descriptor, scratch.address + Scratch.STATFS);
    }

    public static int ioctl(Scratch scratch, int descriptor, long request, long argument) {
        return call(scratch, CallNumber.IOCTL, descriptor, request, argument);
    }

    /** Makes a private copy of a mount, as a descriptor. */
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

    /** How many descriptors this process may have. */
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
