package io.github.rpcrdma4j.nfs.server.driver;

import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.FileStore.Mounts;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.StoreException;

/**
 * The identity of a file for opens and locks.
 *
 * @param store that of its export. An export that goes and comes back has another one
 */
public record ExportedFile(FileStore store, FileId file) implements FileKey {
    /**
     * Opens the file for the server itself, also on a mounted file system; the caller closes it.
     *
     * @throws StoreException STALE if the file is gone, or not served any more
     */
    Node open() throws StoreException {
        return store.node(file, Mounts.CROSS);
    }
}
