package io.github.rpcrdma4j.nfs.client.service;

/**
 * A file of a server that is open here. Until it is closed, the server lets it be read or written,
 * also if its mode or its name changes, as far as the version of NFS has open files. Thread-safe.
 */
public interface OpenFile extends AutoCloseable {
    /** What a file is open for. */
    enum Mode {
        /** To read it. */
        READ,
        /** To write it. */
        WRITE,
        /** To read and write it. */
        BOTH
    }

    /** Returns the handle of the file. */
    FileHandle handle();

    /**
     * Runs an action when the server has lost or taken a lock of the file, on a thread of its own.
     * It runs at once if that has happened. This side hears of it when it renews its lease, at the
     * latest. Without locks it never runs.
     */
    default void whenLockLost(Runnable action) {}

    /**
     * Closes the file. Written bytes are not lost by it, and a server that cannot be reached closes
     * the file by itself, so this does not fail. Closing twice is harmless.
     */
    @Override
    void close();
}
