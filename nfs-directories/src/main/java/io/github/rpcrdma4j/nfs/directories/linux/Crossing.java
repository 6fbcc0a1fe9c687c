package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.nfs.store.FileId;

/**
 * Signals that an operation comes to a mounted file system, at which it may hang. It then runs
 * again there, see {@link Crossings}. It must not have changed anything before it throws this.
 */
final class Crossing extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Stands for the mount. */
    private final transient FileId place;

    Crossing(FileId place) {
        super("on to a mounted file system", null, false, false);
        this.place = place;
    }

    /** Returns what stands for the mount where operations may hang. No file has this id. */
    FileId place() {
        return place;
    }
}
