package io.github.rpcrdma4j.nfs.client.local;

import io.github.rpcrdma4j.nfs.v3.FileType;
import java.time.Instant;

/**
 * What this machine tells of a file.
 *
 * @param mode the permission bits, 12 of them
 * @param links names that the file has
 * @param size in bytes
 * @param used bytes of storage; less than the size where the file has holes
 * @param major of the device that the file is
 * @param minor of it
 * @param device a number of the file system that it is on
 * @param inode its number there
 */
public record LocalStatus(
        FileType type,
        int mode,
        long links,
        int uid,
        int gid,
        long size,
        long used,
        int major,
        int minor,
        long device,
        long inode,
        Instant accessed,
        Instant modified) {
    public boolean isDirectory() {
        return type == FileType.DIRECTORY;
    }
}
