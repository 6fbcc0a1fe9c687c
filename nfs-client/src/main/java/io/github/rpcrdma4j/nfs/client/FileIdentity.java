package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.client.local.LocalStatus;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.oncrpc.KeyedHash;

/**
 * Tells the files of one server apart, or those of this machine: all names of a file have one. File
 * systems exist that give several files one, so it alone does not prove that two names have one
 * file. Immutable.
 *
 * @param fileSystem the number of the file system, or of the device
 * @param file the number of the file in it
 */
public record FileIdentity(long fileSystem, long file) {
    /** Returns the identity of a file with these attributes. */
    public static FileIdentity of(FileAttributes attributes) {
        return new FileIdentity(attributes.fileSystemId(), attributes.fileId());
    }

    @Override
    public int hashCode() {
        return KeyedHash.of(fileSystem, file);
    }

    /**
     * Returns whether the attributes of a file are the same at two times, but for the time of the
     * last access. With equal handles this proves that two names have one file: servers exist that
     * give equal numbers, or stale handles, to different files (RFC 1813, Section 3.3.1).
     */
    static boolean isUnchanged(FileAttributes before, FileAttributes after) {
        return before.type() == after.type()
                && before.mode() == after.mode()
                && before.links() == after.links()
                && before.uid() == after.uid()
                && before.gid() == after.gid()
                && before.size() == after.size()
                && before.device() == after.device()
                && before.fileSystemId() == after.fileSystemId()
                && before.fileId() == after.fileId()
                && before.modified().equals(after.modified())
                && before.changed().equals(after.changed());
    }

    /**
     * Returns whether the attributes of a file are the same at two times, but for the time of the
     * last access. Equal numbers alone do not prove that two names have one file.
     */
    static boolean isUnchanged(LocalStatus before, LocalStatus after) {
        return before.type() == after.type()
                && before.mode() == after.mode()
                && before.links() == after.links()
                && before.uid() == after.uid()
                && before.gid() == after.gid()
                && before.size() == after.size()
                && before.used() == after.used()
                && before.major() == after.major()
                && before.minor() == after.minor()
                && before.modified().equals(after.modified())
                && before.changed().equals(after.changed());
    }
}
