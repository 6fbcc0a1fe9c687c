package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.StoreException;

/** Checks names before they reach the kernel. */
final class Names {
    private Names() {}

    /**
     * Refuses bytes that cannot name a file in a directory.
     *
     * @param max the longest name of the file system, in bytes
     */
    static void require(FileName name, int max) throws StoreException {
        if (name.length() > Math.min(max, Scratch.NAME_MAX)) {
            throw new StoreException(Failure.NAMETOOLONG);
        }
        if (!name.isSingle() || name.isDots()) {
            throw new StoreException(Failure.INVAL);
        }
    }
}
