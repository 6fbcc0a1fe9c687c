package io.github.rpcrdma4j.nfs.server.store;

import io.github.rpcrdma4j.nfs.v3.FileType;
import java.util.Optional;

/**
 * The attributes of a file.
 *
 * @param mode permissions, with set-user-ID, set-group-ID and sticky: 12 bits
 * @param links the number of names of the file
 * @param size in bytes
 * @param used the storage that the file takes, in bytes
 * @param major the major number of a device file, else 0
 * @param minor the minor number of a device file, else 0
 * @param fileSystem the id of the file system for clients, equal for all its files
 * @param number the inode number
 * @param mountedOn the inode number of the directory that a mounted file system covers, for the
 *     root of that file system; otherwise {@code number}
 * @param accessed when it was last read
 * @param modified when its content last changed
 * @param changed when content or attributes last changed
 * @param born when it was made; empty if the file system does not record it
 */
public record FileStatus(
        FileType type,
        int mode,
        int links,
        int uid,
        int gid,
        long size,
        long used,
        int major,
        int minor,
        long fileSystem,
        long number,
        long mountedOn,
        Time accessed,
        Time modified,
        Time changed,
        Optional<Time> born) {
    public boolean isDirectory() {
        return type == FileType.DIRECTORY;
    }
}
