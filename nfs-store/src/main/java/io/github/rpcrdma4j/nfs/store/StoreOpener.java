package io.github.rpcrdma4j.nfs.store;

import java.io.IOException;

/**
 * Opens the store of one export. A server opens it when it starts to serve the export, and closes
 * it when it stops; it may open it again after that. Two openers that are equal have one set of
 * files, so an export of one of them need not be opened again when the exports of a server change.
 */
@FunctionalInterface
public interface StoreOpener {
    /**
     * Opens the store.
     *
     * @param fileSystem the file system id that clients see, of all exports of the server a
     *     different one: what {@link FileStatus#fileSystem} tells, unless the store knows a better
     *     one
     * @param verifier the write verifier of the export, which {@link Node.Written} tells. The store
     *     changes it when it may have lost what was written and not committed
     * @throws IOException if the files cannot be served; its message is one line for the operator
     */
    FileStore open(long fileSystem, WriteVerifier verifier) throws IOException;
}
