package io.github.rpcrdma4j.nfs.store;

import java.util.Optional;

/**
 * The locks of this server on one file towards the other processes of the machine. They see its
 * locks, and it sees theirs, as with fcntl(2). The locks of one object do not conflict with each
 * other, so the server has one object for each file, with the union of the locks of its clients.
 * Thread-safe.
 *
 * <p>Offsets and lengths are unsigned, in bytes. A length of {@link #TO_THE_END} means all bytes
 * from the offset on. No process can lock bytes from 2<sup>63</sup> on, so locks of these are
 * granted and have no effect.
 */
public interface KernelLocks extends AutoCloseable {
    /** The length of a range that has no end. */
    long TO_THE_END = -1;

    /** The kind of a lock. */
    enum Kind {
        /** Other such locks may overlap it. */
        READ,
        /** No other lock may overlap it. */
        WRITE
    }

    /**
     * A lock on a range.
     *
     * @param offset of the range, in bytes
     * @param length of the range, in bytes
     * @param kind whether others may lock it as well
     */
    record Lock(long offset, long length, Kind kind) {}

    /**
     * Sets a lock in place of those that this object has on its range. Does not wait.
     *
     * @return a lock of another process that conflicts; empty if the lock was set
     * @throws StoreException {@link Failure#ACCES} for a lock of kind WRITE on a file that this
     *     server cannot open for writing, {@link Failure#AGAIN} if the kernel has no memory for
     *     locks
     */
    Optional<Lock> set(Lock lock) throws StoreException;

    /** Removes the locks of this object on a range. */
    void clear(long offset, long length) throws StoreException;

    /** Returns a lock of another process that conflicts with a lock; empty if there is none. */
    Optional<Lock> conflict(Lock lock) throws StoreException;

    /** Removes all locks of this object. */
    @Override
    void close();
}
