package io.github.rpcrdma4j.nfs.server.store;

import io.github.rpcrdma4j.nfs.v3.FileType;

/**
 * The attributes of a file.
 *
 * @param mode permissions, with set-user-ID, set-group-ID and sticky: 12 bits
 * @param links how many names the file has
 * @param size bytes
 * @param used bytes of storage
 * @param major of the device that the file is, if it is one
 * @param minor likewise
 * @param fileSystem the number of the file system, for clients: the files of one have one
 * @param number the inode number
 * @param accessed when it was last read
 * @param modified when its content last changed
 * @param changed when content or attributes last changed
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
        Time accessed,
        Time modified,
        Time changed) {
    public boolean isDirectory() {
        return type == FileType.DIRECTORY;
    }
}
