package io.github.rpcrdma4j.nfs.client.service;

import io.github.rpcrdma4j.nfs.FileType;
import java.time.Instant;

/**
 * What a server tells of a file, under any version of NFS.
 *
 * @param mode the permission bits, with set-user-ID, set-group-ID and sticky
 * @param links the number of hard links, unsigned
 * @param uid the number of the user that owns the file
 * @param gid the number of the group that owns the file
 * @param size in bytes, unsigned
 * @param used the storage that the file takes, in bytes, unsigned
 * @param deviceMajor the major number of a device; 0 for other files
 * @param deviceMinor the minor number of a device; 0 for other files
 * @param fileSystem the file system that holds the file
 * @param fileId the number of the file in its file system
 * @param accessed the time of the last read
 * @param modified the time of the last change of the content
 * @param changed the time of the last change of the content or of an attribute
 */
public record FileAttributes(
        FileType type,
        int mode,
        int links,
        int uid,
        int gid,
        long size,
        long used,
        int deviceMajor,
        int deviceMinor,
        FileSystemId fileSystem,
        long fileId,
        Instant accessed,
        Instant modified,
        Instant changed) {
    /** Who owns a file whose owner is not known: what Linux calls nobody. */
    private static final int NOBODY = 65534;

    /**
     * Returns what stands for the attributes of a file whose handle is a {@link
     * FileHandle.Refused}: those of a directory, so that all that is done to the file begins with a
     * question to the server, which says what is wrong.
     */
    public static FileAttributes unknown(FileSystemId fileSystem, long fileId) {
        return new FileAttributes(
                FileType.DIRECTORY,
                0,
                1,
                NOBODY,
                NOBODY,
                0,
                0,
                0,
                0,
                fileSystem,
                fileId,
                Instant.EPOCH,
                Instant.EPOCH,
                Instant.EPOCH);
    }

    /** Returns whether the file is a directory. */
    public boolean isDirectory() {
        return type == FileType.DIRECTORY;
    }

    /** Returns the same with other permission bits. */
    public FileAttributes withMode(int other) {
        return new FileAttributes(
                type,
                other,
                links,
                uid,
                gid,
                size,
                used,
                deviceMajor,
                deviceMinor,
                fileSystem,
                fileId,
                accessed,
                modified,
                changed);
    }
}
