package io.github.rpcrdma4j.nfs.server.served;

import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import java.io.IOException;

/** Chooses and opens the {@link FileStore} by which the server reaches the files of an export. */
public interface StoreChooser {
    /**
     * Opens the directory of an export.
     *
     * @param fileSystem the file system id for clients, unless the store knows a better one
     * @param verifier the write verifier of the export
     * @throws IOException if this process cannot or must not serve the directory
     */
    FileStore open(Export export, long fileSystem, WriteVerifier verifier) throws IOException;
}
