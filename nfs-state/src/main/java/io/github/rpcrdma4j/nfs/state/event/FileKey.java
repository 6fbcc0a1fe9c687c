package io.github.rpcrdma4j.nfs.state.event;

/** The identity of a file: an immutable value of the driver, compared by {@code equals}. */
public interface FileKey {
    /**
     * Returns what serves the file, compared by {@code equals}. All files of a store may go at
     * once.
     */
    Object store();
}
