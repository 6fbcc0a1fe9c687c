package io.github.rpcrdma4j.nfs.server.store.linux;

import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.linux.Statx;

/**
 * A file system of an export.
 *
 * @param mount the number of the mount that it is reached by
 * @param key what its files' ids begin with: it stays the same when the machine starts again
 * @param descriptor a directory of it that is open for reading; -1 if handles cannot be opened
 * @param number by which clients tell file systems apart
 * @param device that its root is on; a file system can have more
 * @param local whether attributes of open files are known without waiting for another machine or
 *     process
 * @param inMemory whether what is read never comes from a disk
 * @param nameMax the longest name, in bytes
 * @param linksMax the most names that a file can have
 */
record MountedFileSystem(
        long mount,
        long key,
        int descriptor,
        long number,
        long device,
        boolean local,
        boolean inMemory,
        int nameMax,
        int linksMax) {
    /** The number of the file system of a file, which clients tell file systems apart by. */
    long number(Scratch scratch) {
        long on = Statx.device(scratch);
        // Inode numbers of two subvolumes can be alike.
        return on == device ? number : number ^ Long.rotateLeft(on * 0x9e3779b97f4a7c15L, 17);
    }
}
