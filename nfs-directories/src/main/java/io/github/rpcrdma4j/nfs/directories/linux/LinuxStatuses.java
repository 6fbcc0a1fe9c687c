package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.linux.Statx;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.Time;
import java.util.Optional;

/** Converts the attributes in the scratch to those of the store. */
final class LinuxStatuses {
    private static final int PERMISSION_MASK = 07777;

    private LinuxStatuses() {}

    static FileType type(Scratch scratch) {
        return FileType.ofMode(Statx.mode(scratch)).orElse(FileType.REGULAR);
    }

    /**
     * @param mounted the file system of the file
     */
    static FileStatus of(Scratch scratch, MountedFileSystem mounted) {
        long number = Statx.inode(scratch);
        long birth = Statx.birthSeconds(scratch);
        return new FileStatus(
                type(scratch),
                Statx.mode(scratch) & PERMISSION_MASK,
                Statx.links(scratch),
                Statx.uid(scratch),
                Statx.gid(scratch),
                Statx.size(scratch),
                Statx.used(scratch),
                Statx.major(scratch),
                Statx.minor(scratch),
                mounted.number(scratch),
                number,
                mounted.isRoot() || !Statx.isMountRoot(scratch) ? number : mounted.covered(),
                new Time(Statx.accessedSeconds(scratch), Statx.accessedNanos(scratch)),
                new Time(Statx.modifiedSeconds(scratch), Statx.modifiedNanos(scratch)),
                new Time(Statx.changedSeconds(scratch), Statx.changedNanos(scratch)),
                birth == Long.MIN_VALUE
                        ? Optional.empty()
                        : Optional.of(new Time(birth, Statx.birthNanos(scratch))));
    }
}
