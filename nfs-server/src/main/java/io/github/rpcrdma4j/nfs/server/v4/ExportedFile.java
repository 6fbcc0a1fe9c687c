package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.server.state.FileKey;
import io.github.rpcrdma4j.nfs.server.store.FileId;

/**
 * The identity of a file for opens and locks.
 *
 * @param export the number of its export
 */
record ExportedFile(int export, FileId file) implements FileKey {}
