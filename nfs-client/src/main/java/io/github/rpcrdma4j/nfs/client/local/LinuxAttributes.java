package io.github.rpcrdma4j.nfs.client.local;

import static io.github.rpcrdma4j.nfs.client.local.LinuxFailures.check;

import io.github.rpcrdma4j.linux.Errno;
import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.linux.Statx;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.local.LocalException.Reason;
import java.time.Instant;
import java.util.Optional;

/** Reads and changes the attributes of an open file. The descriptor may be an O_PATH one. */
final class LinuxAttributes {
    private static final int PERMISSION_MASK = 07777;
    private static final int KEPT_ID = -1;

    private LinuxAttributes() {}

    static LocalStatus status(Scratch scratch, int descriptor, String what) throws LocalException {
        check(Kernel.statx(scratch, descriptor), what);
        return new LocalStatus(
                type(scratch),
                Statx.mode(scratch) & PERMISSION_MASK,
                Integer.toUnsignedLong(Statx.links(scratch)),
                Statx.uid(scratch),
                Statx.gid(scratch),
                Statx.size(scratch),
                Statx.used(scratch),
                Statx.major(scratch),
                Statx.minor(scratch),
                Statx.device(scratch),
                Statx.inode(scratch),
                Instant.ofEpochSecond(Statx.accessedSeconds(scratch), Statx.accessedNanos(scratch)),
                Instant.ofEpochSecond(Statx.modifiedSeconds(scratch), Statx.modifiedNanos(scratch)),
                Instant.ofEpochSecond(Statx.changedSeconds(scratch), Statx.changedNanos(scratch)));
    }

    static FileType type(Scratch scratch, int descriptor, String what) throws LocalException {
        check(Kernel.statx(scratch, descriptor), what);
        return type(scratch);
    }

    private static FileType type(Scratch scratch) {
        return FileType.ofMode(Statx.mode(scratch)).orElse(FileType.REGULAR);
    }

    /** Returns the number of a device, as Linux makes it of both numbers. */
    static long device(int major, int minor) {
        return minor & 0xff | (long) major << 8 | (long) (minor & ~0xff) << 12;
    }

    /** Sets the owner, the mode and the times, in this order. */
    static void change(Scratch scratch, int descriptor, LocalChanges changes, String what)
            throws LocalException {
        LocalTrees.requireOwners(changes, what);
        if (changes.uid().isPresent() || changes.gid().isPresent()) {
            int result =
                    Kernel.fchown(
                            scratch,
                            descriptor,
                            changes.uid().orElse(KEPT_ID),
                            changes.gid().orElse(KEPT_ID));
            if (result == -Errno.INVAL) {
                // A container has only some of the user and group ids.
                throw new LocalException(what, Reason.NOT_PERMITTED, "no owner has this number");
            }
            check(result, what);
        }
        if (changes.mode().isPresent()
                && type(scratch, descriptor, what) != FileType.SYMBOLIC_LINK) {
            int mode = changes.mode().getAsInt() & PERMISSION_MASK;
            check(Kernel.fchmod(scratch, descriptor, mode), what);
        }
        if (changes.accessed().isPresent() || changes.modified().isPresent()) {
            put(scratch, 0, changes.accessed());
            put(scratch, 1, changes.modified());
            check(Kernel.utimens(scratch, descriptor, scratch.address + Scratch.TIMES), what);
        }
    }

    private static void put(Scratch scratch, int index, Optional<Instant> time) {
        Kernel.time(
                scratch,
                index,
                time.map(Instant::getEpochSecond).orElse(0L),
                time.map(Instant::getNano).orElse(Kernel.UTIME_OMIT));
    }
}
