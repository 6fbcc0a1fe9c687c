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
 * Locks of an open file description (fcntl(2)): those of one descriptor, independent of other
 * descriptors of this process.
 */
final class LinuxLocks implements KernelLocks {
    private final LinuxStore store;
    private final int descriptor;
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * @param descriptor belongs to this object, which closes it
     */
    private LinuxLocks(LinuxStore store, int descriptor) {
        this.store = store;
        this.descriptor = descriptor;
    }

    static KernelLocks open(LinuxStore store, DataAccess access, LinuxNode node)
            throws StoreException {
        node.requireRegular();
        store.all().reserveLocks();
        boolean isOpen = false;
        try {
            var locks =
                    store.threads()
                            .runWaiting(
                                    call -> {
                                        node.stat(call.scratch);
                                        return new LinuxLocks(
                                                store, access.openForLocks(call, node));
                                    });
            isOpen = true;
            return locks;
        } finally {
            if (!isOpen) {
                store.all().releaseLocks();
            }
        }
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
                            node.stat(call.scratch);
                            int descriptor = access.openForLocks(call, node);
                            try {
                                return conflict(call.scratch, descriptor, lock);
                            } finally {
                                Kernel.close(call.scratch, descriptor);
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

    private Optional<Lock> set(Scratch scratch, Lock lock) throws StoreException {
        long length = reach(lock.offset(), lock.length());
        int result =
                FileRanges.setLock(scratch, descriptor, type(lock.kind()), lock.offset(), length);
        if (result != -Errno.AGAIN && result != -Errno.ACCES) {
            check(result);
            return Optional.empty();
        }
        // The other lock may be gone by now; the range of this one then stands for it.
        var other = conflict(scratch, descriptor, lock);
        return other.isPresent() ? other : Optional.of(lock);
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
                            check(
                                    FileRanges.setLock(
                                            call.scratch,
                                            descriptor,
                                            FileRanges.LOCK_NONE,
                                            offset,
                                            reach(offset, length)));
                            return null;
                        });
    }

    @Override
    public Optional<Lock> conflict(Lock lock) throws StoreException {
        requireLength(lock.length());
        if (isOutOfReach(lock.offset())) {
            return Optional.empty();
        }
        return store.threads().runWaiting(call -> conflict(call.scratch, descriptor, lock));
    }

    private static Optional<Lock> conflict(Scratch scratch, int descriptor, Lock lock)
            throws StoreException {
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
            store.threads().runWaiting(call -> Kernel.close(call.scratch, descriptor));
        } catch (StoreException storeIsClosed) {
            var scratch = Scratch.acquire();
            Kernel.close(scratch, descriptor);
            scratch.release();
        } finally {
            store.all().releaseLocks();
        }
    }
}
