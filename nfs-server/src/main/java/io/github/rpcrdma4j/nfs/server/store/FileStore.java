package io.github.rpcrdma4j.nfs.server.store;

/**
 * The files of one export: a directory and what is below it. Thread-safe.
 *
 * <p>Nothing is done by path. A file is reached from the root by names, one at a time, or by its
 * {@link FileId}. A symbolic link is never followed.
 */
public interface FileStore extends AutoCloseable {
    /** What a caller sees where another file system is mounted below the export. */
    enum Mounts {
        /** The directory that the mount covers, or an error. */
        STAY,
        /** The file system that is mounted. */
        CROSS
    }

    /** The exported directory. */
    FileId root();

    /**
     * A reference to a file of this store; the caller closes it.
     *
     * @throws StoreException {@link Failure#STALE} if there is no such file any more, or if it is
     *     on a file system that the caller may not cross into
     */
    Node node(FileId id, Mounts mounts) throws StoreException;

    /** How this store finds files: one line, for the operator. */
    String description();

    /** Whether it acts with the rights of each caller; else all act with those of this process. */
    boolean actsForCallers();

    /** Gives back all descriptors. No other method is called any more, and no node is in use. */
    @Override
    void close();
}
