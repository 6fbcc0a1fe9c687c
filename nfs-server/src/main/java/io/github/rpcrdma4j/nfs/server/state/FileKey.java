package io.github.rpcrdma4j.nfs.server.state;

/** The identity of a file: an immutable value of the driver, compared by {@code equals}. */
public interface FileKey {
    /**
     * Returns what the file is served from, compared by {@code equals}; it may go with all files.
     */
    Object store();
}
