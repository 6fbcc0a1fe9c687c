package io.github.rpcrdma4j.nfs.directories.nio;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.Node.Made;

/**
 * The attributes of a file, with its identity.
 *
 * @param device the number of the device that holds it; 0 if the file system reports none
 * @param isMounted whether it is on another file system than the root of the store
 */
record Attributes(Inode inode, FileStatus status, long device, boolean isMounted) {
    boolean isDirectory() {
        return status.isDirectory();
    }

    boolean isRegular() {
        return status.type() == FileType.REGULAR;
    }

    boolean isSymbolicLink() {
        return status.type() == FileType.SYMBOLIC_LINK;
    }

    Made.Entry entry() {
        return new Made.Entry(inode.id(), status);
    }
}
