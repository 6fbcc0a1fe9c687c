package io.github.rpcrdma4j.nfs.client.service;

import io.github.rpcrdma4j.oncrpc.KeyedHash;

/**
 * Tells the files of one server apart, or those of this machine: all names of a file have one. File
 * systems exist that give several files one, so it alone does not prove that two names have one
 * file. Immutable.
 *
 * @param fileSystem the file system, or the device
 * @param file the number of the file in it
 */
public record FileIdentity(FileSystemId fileSystem, long file) {
    /** Returns the identity of a file with these attributes. */
    public static FileIdentity of(FileAttributes attributes) {
        return new FileIdentity(attributes.fileSystem(), attributes.fileId());
    }

    @Override
    public int hashCode() {
        return KeyedHash.of(fileSystem.hashCode(), file);
    }

    /**
     * Returns whether the attributes of a file are the same at two times, but for the time of the
     * last access. With equal handles this proves that two names have one file: servers exist that
     * give equal numbers, or stale handles, to different files (RFC 1813, Section 3.3.1).
     */
    public static boolean isUnchanged(FileAttributes before, FileAttributes after) {
        return before.type() == after.type()
                && before.mode() == after.mode()
                && before.links() == after.links()
                && before.uid() == after.uid()
                && before.gid() == after.gid()
                && before.size() == after.size()
                && before.deviceMajor() == after.deviceMajor()
                && before.deviceMinor() == after.deviceMinor()
                && before.fileSystem().equals(after.fileSystem())
                && before.fileId() == after.fileId()
                && before.modified().equals(after.modified())
                && before.changed().equals(after.changed());
    }
}
