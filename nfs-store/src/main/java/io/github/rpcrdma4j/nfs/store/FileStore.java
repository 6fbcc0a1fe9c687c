package io.github.rpcrdma4j.nfs.store;

import io.github.rpcrdma4j.nfs.FileName;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;

/**
 * The files of one export: a directory and all files below it. Thread-safe.
 *
 * <p>A program that has files of its own kind, in a database or an archive for example, implements
 * this and {@link Node}. A store needs only the methods without a body; a module of tests, {@code
 * nfs-store-contract}, checks what it does.
 *
 * <p>No operation takes a path. A file is found from the root by one name at a time, or by its
 * {@link FileId}. A symbolic link is never followed.
 */
public interface FileStore extends AutoCloseable {
    /** How far {@link #above} looks. */
    int ABOVE_MAX = 4096;

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
    default Node node(FileId id, Mounts mounts) throws StoreException {
        return node(id, mounts, Origin.SERVER);
    }

    /**
     * Returns a reference to a file of this store, as {@link #node(FileId, Mounts)} does.
     *
     * @param origin whose share the operations of the node use
     */
    Node node(FileId id, Mounts mounts, Origin origin) throws StoreException;

    /**
     * Finds a directory on the way from another one up to the root, without a question for rights.
     * May take long if there are many directories in between.
     *
     * @param isSought whether a directory is the one to find; the root is one at last
     * @throws StoreException {@link Failure#NOENT} if the directory lies outside of this store by
     *     now, or too far below; {@link Failure#STALE} if it is gone
     */
    default FileId above(FileId directory, Predicate<FileId> isSought) throws StoreException {
        var at = directory;
        for (int depth = 0; depth < ABOVE_MAX; depth++) {
            if (isSought.test(at)) {
                return at;
            }
            try (var node = node(at, Mounts.CROSS)) {
                at = node.lookup(new Caller.Server(), FileName.PARENT).id();
            }
        }
        throw new StoreException(Failure.NOENT);
    }

    /**
     * Returns whether a directory of another store with the same names for files lies in this store
     * now; empty if this store cannot tell at once.
     *
     * @throws StoreException {@link Failure#STALE} if it is gone
     */
    default Optional<Boolean> holds(FileId directory) throws StoreException {
        return Optional.empty();
    }

    /** Returns one line for the operator on how this store finds files. */
    default String description() {
        return getClass().getName();
    }

    /**
     * Returns whether operations use the rights of their caller; otherwise all use those of this
     * process.
     */
    default boolean actsForCallers() {
        return true;
    }

    /**
     * Returns how many files may have open locks at a time, of this store and of others that share
     * its descriptors.
     */
    default int lockedFilesMax() {
        return Integer.MAX_VALUE;
    }

    /**
     * Returns how many files may have kernel leases at a time, of this store and of others that
     * share its descriptors; 0 if {@link Node#openLease} cannot work.
     */
    default int leasedFilesMax() {
        return 0;
    }

    /**
     * Gives no more nodes: {@link #node} fails with {@link Failure#STALE} from then on. Calls may
     * be in progress. What their nodes need is released when the last node, lock and lease is
     * closed; at once if there is none. May wait for storage.
     */
    @Override
    default void close() {}

    /**
     * Completes when this was closed, and all that it had is released. A store that has nothing to
     * release has always completed that.
     */
    default CompletionStage<Void> closed() {
        return CompletableFuture.completedStage(null);
    }
}
