package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.linux.Errno;
import io.github.rpcrdma4j.linux.FileLeases;
import io.github.rpcrdma4j.linux.FileRanges;
import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.KernelLocks;
import io.github.rpcrdma4j.nfs.store.StoreException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Locks of an open file description (fcntl(2)): those of one description, independent of others of
 * this process.
 *
 * <p>A file that is open for writing cannot be run, its file system cannot become read-only, and no
 * process gets a lease of it. Those who only read a file must not bring that about, so the
 * description is for writing only while there are locks that need it:
 *
 * <pre>
 *                --the first lock of kind WRITE: all locks move-->
 *   for reading                                                    for reading and writing
 *                &lt;--the last lock of kind WRITE ends: all move--
 * </pre>
 *
 * <p>The locks that move are of kind READ, and those of two descriptions do not conflict. They are
 * set on the new one before they end on the old one, so no process gets between.
 *
 * <p>A client that a file is delegated to may lock it. The server would break its own lease if it
 * opened the file once more, so below a write lease these locks are on the description of the
 * lease.
 */
final class LinuxLocks implements KernelLocks {
    /** With more locks than these, the description stays for writing: each WRITE lock moves all. */
    private static final int MOVED_MAX = 256;

    private final LinuxStore store;
    private final DataAccess access;
    private final FileId file;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Guarded by this, like the next ones. */
    private int descriptor;

    private boolean isForReading;

    /** What is locked, by kind. No part is in both. */
    private final LockedParts reads = new LockedParts();

    private final LockedParts writes = new LockedParts();

    /**
     * @param descriptor belongs to this object, which closes it
     * @param isForReading whether another descriptor is needed to lock for writing
     */
    private LinuxLocks(DataAccess access, FileId file, int descriptor, boolean isForReading) {
        this.store = access.store();
        this.access = access;
        this.file = file;
        this.descriptor = descriptor;
        this.isForReading = isForReading;
    }

    static KernelLocks open(LinuxStore store, DataAccess access, LinuxNode node, Kind first)
            throws StoreException {
        node.requireRegular();
        store.all().reserveLocks();
        boolean isOpen = false;
        try {
            FileThreads.Operation<LinuxLocks> opening =
                    call -> open(call, store, access, node, first);
            var locks = store.uses().begin(() -> store.threads().runWaiting(opening));
            isOpen = true;
            return locks;
        } finally {
            if (!isOpen) {
                store.all().releaseLocks();
            }
        }
    }

    /**
     * Opens a file for locks without breaking a lease of the server that a lock of that kind is
     * possible under.
     */
    private static LinuxLocks open(
            FileThreads.Call call, LinuxStore store, DataAccess access, LinuxNode node, Kind kind)
            throws StoreException {
        node.stat(call.scratch);
        int leased = access.duplicateOfLease(call, node);
        if (leased >= 0) {
            return new LinuxLocks(access, node.id, leased, false);
        }
        int writer =
                switch (kind) {
                    case READ -> -Errno.ACCES;
                    case WRITE -> access.openForWriteLocks(call, node);
                };
        return writer >= 0
                ? new LinuxLocks(access, node.id, writer, false)
                : new LinuxLocks(access, node.id, access.openForReadLocks(call, node), true);
    }

    /**
     * Looks for a conflicting lock of any process, with a descriptor for reading that is closed at
     * once.
     */
    static Optional<Lock> conflict(LinuxStore store, DataAccess access, LinuxNode node, Lock lock)
            throws StoreException {
        node.requireRegular();
        requireLength(lock.length());
        if (isOutOfReach(lock.offset())) {
            return Optional.empty();
        }
        return store.threads()
                .runWaiting(
                        call -> {
                            var locks = open(call, store, access, node, Kind.READ);
                            try {
                                return locks.conflict(call.scratch, lock);
                            } finally {
                                Kernel.close(call.scratch, locks.descriptor);
                            }
                        });
    }

    /** Returns whether no process can lock these bytes, whose offset does not fit into the type. */
    private static boolean isOutOfReach(long offset) {
        return offset < 0;
    }

    /** Returns the length for the kernel, for which 0 means all bytes from the offset on. */
    private static long reach(long offset, long length) {
        return length < 0 || offset + length < 0 ? 0 : length;
    }

    private static int type(Kind kind) {
        return switch (kind) {
            case READ -> FileRanges.LOCK_READ;
            case WRITE -> FileRanges.LOCK_WRITE;
        };
    }

    @Override
    public Optional<Lock> set(Lock lock) throws StoreException {
        requireLength(lock.length());
        if (isOutOfReach(lock.offset())) {
            return Optional.empty();
        }
        return store.threads().runWaiting(call -> set(call, lock));
    }

    private static void requireLength(long length) throws StoreException {
        if (length == 0) {
            throw new StoreException(Failure.INVAL);
        }
    }

    private synchronized Optional<Lock> set(FileThreads.Call call, Lock lock)
            throws StoreException {
        if (isForReading && lock.kind() == Kind.WRITE) {
            moveToWrite(call);
        }
        try {
            return set(call.scratch, lock);
        } finally {
            // A lock for writing that was not granted needs no descriptor for writing either.
            moveToRead(call.scratch);
        }
    }

    private Optional<Lock> set(Scratch scratch, Lock lock) throws StoreException {
        long length = reach(lock.offset(), lock.length());
        int result =
                FileRanges.setLock(scratch, descriptor, type(lock.kind()), lock.offset(), length);
        if (result != -Errno.AGAIN && result != -Errno.ACCES) {
            check(result);
            parts(lock.kind()).add(lock.offset(), length);
            parts(lock.kind() == Kind.READ ? Kind.WRITE : Kind.READ).remove(lock.offset(), length);
            return Optional.empty();
        }
        // The other lock may be gone by now; the range of this one then stands for it.
        var other = conflict(scratch, lock);
        return other.isPresent() ? other : Optional.of(lock);
    }

    private LockedParts parts(Kind kind) {
        return switch (kind) {
            case READ -> reads;
            case WRITE -> writes;
        };
    }

    /** Has locks on a descriptor for writing, if there can be one. */
    private void moveToWrite(FileThreads.Call call) throws StoreException {
        int reader = descriptor;
        int writer = store.opened(() -> Kernel.reopen(call.scratch, reader, Kernel.O_RDWR));
        if (writer == -Errno.ACCES) {
            writer = openAgainToWrite(call);
        }
        if (writer == -Errno.AGAIN) {
            // A lease has to end first.
            throw ErrnoFailures.exception(Errno.AGAIN);
        }
        if (writer >= 0) {
            ErrnoFailures.check(moveTo(call.scratch, writer));
            isForReading = false;
        }
    }

    /** Opens a file that this process may open as its owner only. */
    private int openAgainToWrite(FileThreads.Call call) {
        try {
            var node = store.open(call, file);
            try {
                return access.openForWriteLocks(call, node);
            } finally {
                node.release();
            }
        } catch (StoreException failure) {
            // Without a name it cannot be opened again.
            return failure.failure() == Failure.AGAIN ? -Errno.AGAIN : -Errno.ACCES;
        }
    }

    /** Has locks on a descriptor for reading, if none needs another one and it can be opened. */
    private void moveToRead(Scratch scratch) {
        int writer = descriptor;
        if (isForReading || !writes.isEmpty() || reads.size() > MOVED_MAX) {
            return;
        }
        if (!FileLeases.isInConflict(scratch, writer, FileLeases.WRITE)) {
            // It is that of a write lease, which opening the file would break.
            return;
        }
        int reader = store.opened(() -> Kernel.reopen(scratch, writer, Kernel.O_RDONLY));
        if (reader >= 0 && moveTo(scratch, reader) >= 0) {
            isForReading = true;
        }
    }

    /**
     * Moves all locks, which are of kind READ, to another descriptor. It is closed if that fails.
     *
     * @return 0, or a negative error number
     */
    private int moveTo(Scratch scratch, int next) {
        for (var each : reads.all()) {
            int result =
                    FileRanges.setLock(
                            scratch, next, FileRanges.LOCK_READ, each.offset(), each.length());
            if (result < 0) {
                Kernel.close(scratch, next);
                return result;
            }
        }
        // The description may be that of a lease, which goes on.
        FileRanges.setLock(scratch, descriptor, FileRanges.LOCK_NONE, 0, 0);
        Kernel.close(scratch, descriptor);
        descriptor = next;
        return 0;
    }

    private static void check(int result) throws StoreException {
        // The file could not be opened for writing.
        ErrnoFailures.check(result == -Errno.BADF ? -Errno.ACCES : result);
    }

    @Override
    public void clear(long offset, long length) throws StoreException {
        requireLength(length);
        if (isOutOfReach(offset)) {
            return;
        }
        store.threads()
                .runWaiting(
                        call -> {
                            clear(call.scratch, offset, reach(offset, length));
                            return null;
                        });
    }

    private synchronized void clear(Scratch scratch, long offset, long length)
            throws StoreException {
        int type = FileRanges.LOCK_NONE;
        check(FileRanges.setLock(scratch, descriptor, type, offset, length));
        reads.remove(offset, length);
        writes.remove(offset, length);
        moveToRead(scratch);
    }

    @Override
    public Optional<Lock> conflict(Lock lock) throws StoreException {
        requireLength(lock.length());
        if (isOutOfReach(lock.offset())) {
            return Optional.empty();
        }
        return store.threads().runWaiting(call -> conflict(call.scratch, lock));
    }

    private synchronized Optional<Lock> conflict(Scratch scratch, Lock lock) throws StoreException {
        check(
                FileRanges.getLock(
                        scratch,
                        descriptor,
                        type(lock.kind()),
                        lock.offset(),
                        reach(lock.offset(), lock.length())));
        int type = FileRanges.lockType(scratch);
        if (type == FileRanges.LOCK_NONE) {
            return Optional.empty();
        }
        long length = FileRanges.lockLength(scratch);
        return Optional.of(
                new Lock(
                        FileRanges.lockOffset(scratch),
                        length == 0 ? TO_THE_END : length,
                        type == FileRanges.LOCK_READ ? Kind.READ : Kind.WRITE));
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        try {
            // Even this may wait, for example for a network file system.
            store.threads()
                    .runWaiting(
                            call -> {
                                close(call.scratch);
                                return null;
                            });
        } catch (StoreException storeIsClosed) {
            var scratch = Scratch.acquire();
            close(scratch);
            scratch.release();
        } finally {
            store.all().releaseLocks();
            store.uses().end();
        }
    }

    private synchronized void close(Scratch scratch) {
        // The description may be that of a lease, which goes on.
        FileRanges.setLock(scratch, descriptor, FileRanges.LOCK_NONE, 0, 0);
        Kernel.close(scratch, descriptor);
    }
}
