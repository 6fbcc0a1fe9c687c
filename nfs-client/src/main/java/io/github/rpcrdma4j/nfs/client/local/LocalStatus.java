package io.github.rpcrdma4j.nfs.client.local;

import io.github.rpcrdma4j.nfs.FileType;
import java.time.Instant;

/**
 * The attributes of a local file.
 *
 * @param mode the 12 permission bits
 * @param links number of names of the file
 * @param size in bytes
 * @param used bytes of storage; less than the size if the file has holes
 * @param major major number of a device file
 * @param minor minor number of a device file
 * @param device number of the file system that holds the file
 * @param inode number of the file in that file system
 * @param changed when contents or attributes last changed; the modification time where the system
 *     does not tell
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
        Instant modified,
        Instant changed) {
    /**
     * Returns whether both are of one file, as far as its file system tells: some have one number
     * for all files.
     */
    public boolean isSameFile(LocalStatus other) {
        return type == other.type && device == other.device && inode == other.inode;
    }

    /**
     * Returns whether the file is as it was, but for the time of the last access. Equal numbers
     * alone do not prove that two names have one file.
     */
    public boolean isUnchangedSince(LocalStatus before) {
        return before.type == type
                && before.mode == mode
                && before.links == links
                && before.uid == uid
                && before.gid == gid
                && before.size == size
                && before.used == used
                && before.major == major
                && before.minor == minor
                && before.modified.equals(modified)
                && before.changed.equals(changed);
    }

    /** Returns whether the file is a directory. */
    public boolean isDirectory() {
        return type == FileType.DIRECTORY;
    }
}
