package io.github.rpcrdma4j.nfs.server.store;

import java.util.concurrent.CompletionStage;

/**
 * The files of one export: a directory and all files below it. Thread-safe.
 *
 * <p>No operation takes a path. A file is found from the root by one name at a time, or by its
 * {@link FileId}. A symbolic link is never followed.
 */
public interface FileStore extends AutoCloseable {
    /** The view of a caller on other file systems that are mounted below the export. */
    enum Mounts {
        /** The caller sees the directory that the mount covers, or gets an error. */
        STAY,
        /** The caller sees the mounted file system. */
        CROSS
    }

    /** Returns the identity of the exported directory. */
    FileId root();

    /**
     * Returns a reference to a file of this store; the caller closes it.
     *
     * @throws StoreException {@link Failure#STALE} if the file does not exist any more, if it is on
     *     a mounted file system and {@code mounts} is {@link Mounts#STAY}, or if this was closed
     */
    Node node(FileId id, Mounts mounts) throws StoreException;

    /** Returns one line for the operator on how this store finds files. */
    String description();

    /**
     * Returns whether operations use the rights of their caller; otherwise all use those of this
     * process.
     */
    boolean actsForCallers();

    /**
     * Returns how many files may have open locks at a time, of this store and of others that share
     * its descriptors.
     */
    int lockedFilesMax();

    /**
     * Returns how many files may have kernel leases at a time, of this store and of others that
     * share its descriptors; 0 if {@link Node#openLease} cannot work.
     */
    int leasedFilesMax();

    /**
     * Gives no more nodes. All descriptors are closed when the last node, lock and lease is closed;
     * at once if there is none. May wait for storage.
     */
    @Override
    void close();

    /** Completes when this was closed, and all descriptors are closed. */
    CompletionStage<Void> closed();
}
