package io.github.rpcrdma4j.nfs.directories.nio;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.StoreException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** A file that was found at this path. The path is valid while the lock of its store is held. */
record ResolvedFile(Path path, Attributes attributes) {
    Inode inode() {
        return attributes.inode();
    }

    /**
     * @throws StoreException NOTDIR
     */
    void requireDirectory() throws StoreException {
        attributes.status().requireDirectory();
    }

    /**
     * @throws StoreException ISDIR or INVAL
     */
    void requireRegular() throws StoreException {
        attributes.status().requireRegular();
    }

    /**
     * Returns the path of a name in this directory.
     *
     * @throws StoreException NAMETOOLONG, or INVAL if the bytes are no name or not UTF-8, or if
     *     this file system does not read them as exactly one name
     */
    Path inside(FileName name) throws StoreException {
        Node.requireName(name);
        try {
            var leaf = path.getFileSystem().getPath(name.toString());
            boolean isOne = !leaf.isAbsolute() && leaf.getNameCount() == 1;
            if (name.isUtf8() && isOne && leaf.toString().equals(name.toString())) {
                return path.resolve(leaf);
            }
        } catch (InvalidPathException _) {
            // No file can have that name.
        }
        throw new StoreException(Failure.INVAL);
    }
}
