package io.github.rpcrdma4j.nfs.server.store.linux;

import io.github.rpcrdma4j.linux.Errno;
import io.github.rpcrdma4j.linux.FileRanges;
import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.nfs.server.store.Failure;
import io.github.rpcrdma4j.nfs.server.store.KernelLocks;
import io.github.rpcrdma4j.nfs.server.store.StoreException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Locks of an open file description (fcntl(2)): those of one description, independent of others of
 * this process.
 *
 * <p>A client that a file is delegated to may lock it. The server would break its own lease if it
 * opened the file once more, so below a write lease these locks are on the description of the
 * lease, and below a read lease they are on one for reading.
 *
 * <pre>
 *   for reading --the first lock of kind WRITE: all locks move--> for reading and writing
 * </pre>
 */
final class LinuxLocks implements KernelLocks {
    private final LinuxStore store;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Guarded by this, like the next one. */
    private int descriptor;

    /** What is locked by a descriptor for reading; null if locks of both kinds are possible. */
    private LockedParts parts;

    /**
     * @param descriptor belongs to this object, which closes it
     * @param isForReading whether another descriptor is needed to lock for writing
     */
    private LinuxLocks(LinuxStore store, int descriptor, boolean isForReading) {
        this.store = store;
        this.descriptor = descriptor;
        this.parts = isForReading ? new LockedParts() : null;
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
            return new LinuxLocks(store, leased, false);
        }
        return kind == Kind.READ && store.all().leases().hasLeases()
                ? new LinuxLocks(store, access.openForReadLocks(call, node), true)
                : new LinuxLocks(store, access.openForLocks(call, node), false);
    }

    /** Looks for a conflicting lock of any process, with a descriptor that is closed at once. */
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
                            var locks = open(call, store, access, node, lock.kind());
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
        return store.threads().runWaiting(call -> set(call.scratch, lock));
    }

    private static void requireLength(long length) throws StoreException {
        if (length == 0) {
            throw new StoreException(Failure.INVAL);
        }
    }

    private synchronized Optional<Lock> set(Scratch scratch, Lock lock) throws StoreException {
        if (parts != null && lock.kind() == Kind.WRITE) {
            moveToWrite(scratch);
        }
        long length = reach(lock.offset(), lock.length());
        int result =
                FileRanges.setLock(scratch, descriptor, type(lock.kind()), lock.offset(), length);
        if (result != -Errno.AGAIN && result != -Errno.ACCES) {
            check(result);
            if (parts != null) {
                parts.add(lock.offset(), length);
            }
            return Optional.empty();
        }
        // The other lock may be gone by now; the range of this one then stands for it.
        var other = conflict(scratch, lock);
        return other.isPresent() ? other : Optional.of(lock);
    }

    /** Has locks on a descriptor for writing, if there can be one. */
    private void moveToWrite(Scratch scratch) throws StoreException {
        int reader = descriptor;
        int writer = store.opened(() -> Kernel.reopen(scratch, reader, Kernel.O_RDWR));
        if (writer == -Errno.AGAIN) {
            // A lease has to end first.
            throw Failures.exception(Errno.AGAIN);
        }
        if (writer < 0) {
            return;
        }
        int result = 0;
        // Locks for reading on both descriptors do not conflict.
        for (var each : parts.all()) {
            int type = FileRanges.LOCK_READ;
            result = FileRanges.setLock(scratch, writer, type, each.offset(), each.length());
            if (result < 0) {
                break;
            }
        }
        Kernel.close(scratch, result < 0 ? writer : reader);
        Failures.check(result);
        descriptor = writer;
        parts = null;
    }

    private static void check(int result) throws StoreException {
        // The file could not be opened for writing.
        Failures.check(result == -Errno.BADF ? -Errno.ACCES : result);
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
        if (parts != null) {
            parts.remove(offset, length);
        }
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
