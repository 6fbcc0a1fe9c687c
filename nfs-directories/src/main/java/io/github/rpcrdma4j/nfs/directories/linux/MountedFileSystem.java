package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.linux.Statx;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileSystemFeatures;
import java.nio.ByteBuffer;

/**
 * A file system of an export.
 *
 * @param mount the id of its mount
 * @param key the first bytes of its files' ids; stable across restarts of the machine if the file
 *     system has a UUID
 * @param descriptor an open descriptor of a directory or file in it; -1 if handles cannot be opened
 * @param number the file system id for clients
 * @param device the device of its root; other files can be on other devices
 * @param local whether reading attributes of open files needs no other machine or process
 * @param datesRights whether each change of the rights to a file sets its change time
 * @param inMemory whether reads never need a disk
 * @param hasJournal whether forcing a directory to storage stores the files that were made in it
 * @param nameMax the longest name, in bytes
 * @param covered the inode number of the directory that it covers; 0 for that of the root
 * @param features what it can do
 */
record MountedFileSystem(
        long mount,
        long key,
        int descriptor,
        long number,
        long device,
        boolean local,
        boolean datesRights,
        boolean inMemory,
        boolean hasJournal,
        int nameMax,
        long covered,
        FileSystemFeatures features) {
    /** Returns whether this is the file system of the root of the export. */
    boolean isRoot() {
        return covered == 0;
    }

    /**
     * Returns the place of renames from one directory to another: the kernel makes one at a time in
     * a file system, so one that hangs holds up the others. No file has this id.
     */
    FileId renames() {
        // The id of a file is the key and a handle.
        return new FileId(ByteBuffer.allocate(Long.BYTES).putLong(key).array());
    }

    /** Returns the file system id for clients of a file, whose attributes the scratch must hold. */
    long number(Scratch scratch) {
        long on = Statx.device(scratch);
        // Two subvolumes may use equal inode numbers, so each gets its own id.
        return on == device ? number : number ^ Long.rotateLeft(on * 0x9e3779b97f4a7c15L, 17);
    }
}
