package io.github.rpcrdma4j.nfs.server.store.linux;

import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.linux.Statx;
import io.github.rpcrdma4j.nfs.server.store.FileStatus;
import io.github.rpcrdma4j.nfs.server.store.Time;
import io.github.rpcrdma4j.nfs.v3.FileType;

/** Converts the attributes in the scratch to those of the store. */
final class Statuses {
    private static final int PERMISSION_MASK = 07777;

    private Statuses() {}

    static FileType type(Scratch scratch) {
        return FileType.ofMode(Statx.mode(scratch)).orElse(FileType.REGULAR);
    }

    /**
     * @param fileSystem the file system id for clients
     */
    static FileStatus of(Scratch scratch, long fileSystem) {
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
                fileSystem,
                Statx.inode(scratch),
                new Time(Statx.accessedSeconds(scratch), Statx.accessedNanos(scratch)),
                new Time(Statx.modifiedSeconds(scratch), Statx.modifiedNanos(scratch)),
                new Time(Statx.changedSeconds(scratch), Statx.changedNanos(scratch)));
    }
}
