package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.v3.FileAttributes;

/** A file's attributes as clients see them, with its identity. */
record Attributes(FileId id, FileAttributes file) {
    boolean isDirectory() {
        return file.isDirectory();
    }
}
