package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.server.store.FileStore;
import io.github.rpcrdma4j.nfs.server.store.WriteVerifier;
import java.io.IOException;

/** Which kind of store an export gets. */
interface StoreChooser {
    /**
     * Opens the directory of an export.
     *
     * @param fileSystem the number of its file system that clients see, where the store does not
     *     know a better one
     * @param verifier of the server
     * @throws IOException if this process cannot, or must not, serve it
     */
    FileStore open(Export export, long fileSystem, WriteVerifier verifier) throws IOException;
}
