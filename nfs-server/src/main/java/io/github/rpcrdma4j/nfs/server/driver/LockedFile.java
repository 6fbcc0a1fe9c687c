package io.github.rpcrdma4j.nfs.server.driver;

import io.github.rpcrdma4j.nfs.state.event.KernelAnswer;
import io.github.rpcrdma4j.nfs.state.range.ByteRange;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.state.range.RangeLock;
import io.github.rpcrdma4j.nfs.state.range.RangeLocks;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.KernelLocks;
import io.github.rpcrdma4j.nfs.store.KernelLocks.Kind;
import io.github.rpcrdma4j.nfs.store.KernelLocks.Lock;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The locks of one file towards local processes. Each method may wait for the file system; one
 * thread at a time calls them.
 */
final class LockedFile {
    /** The owner of locks of local processes. */
    private static final StateOwner LOCAL =
            new StateOwner(0, OpaqueName.of("a local process".getBytes(StandardCharsets.US_ASCII)));

    private final ExportedFile file;
    private boolean isOpen;

    /** Null if the store has no such locks. */
    private KernelLocks locks;

    LockedFile(ExportedFile file) {
        this.file = file;
    }

    /** Returns whether {@link #close} is due at some time. */
    boolean isOpen() {
        return isOpen;
    }

    KernelAnswer lock(LockMode type, ByteRange range) {
        try {
            open(kind(type));
        } catch (StoreException failure) {
            return new KernelAnswer.Failed(Statuses.of(failure.failure()));
        }
        if (locks == null) {
            return new KernelAnswer.Locked();
        }
        try {
            return locks.set(lock(range, type))
                    .<KernelAnswer>map(lock -> new KernelAnswer.Conflict(local(lock)))
                    .orElse(new KernelAnswer.Locked());
        } catch (StoreException failure) {
            // A file that the server cannot open for writing has its locks among clients only.
            return failure.failure() == Failure.AGAIN
                    ? new KernelAnswer.Failed(Statuses.of(Failure.AGAIN))
                    : new KernelAnswer.Locked();
        }
    }

    private void open(Kind first) throws StoreException {
        if (isOpen) {
            return;
        }
        try (var node = file.open()) {
            locks = node.openLocks(first);
        } catch (StoreException failure) {
            if (failure.failure() != Failure.NOTSUPP) {
                throw failure;
            }
        }
        isOpen = true;
    }

    /** Returns a lock of a local process that {@link #lock} would meet. */
    Optional<RangeLock<StateOwner>> conflict(LockMode type, ByteRange range) throws StoreException {
        try {
            return isOpen ? known(lock(range, type)) : unknown(lock(range, type));
        } catch (StoreException failure) {
            if (failure.failure() == Failure.NOTSUPP) {
                return Optional.empty();
            }
            throw failure;
        }
    }

    private Optional<RangeLock<StateOwner>> known(Lock lock) throws StoreException {
        return locks == null ? Optional.empty() : locks.conflict(lock).map(LockedFile::local);
    }

    private Optional<RangeLock<StateOwner>> unknown(Lock lock) throws StoreException {
        try (var node = file.open()) {
            return node.lockConflict(lock).map(LockedFile::local);
        }
    }

    /** Holds no more than this of a range. */
    void reduce(RangeLocks.Part part) {
        if (locks == null) {
            return;
        }
        var range = part.range();
        try {
            if (part.type().isPresent()) {
                locks.set(lock(range, part.type().get()));
            } else {
                locks.clear(range.first(), range.length());
            }
        } catch (StoreException _) {
            // The lock goes at the latest when the file has no locks any more.
        }
    }

    void close() {
        isOpen = false;
        if (locks != null) {
            var last = locks;
            locks = null;
            last.close();
        }
    }

    private static Lock lock(ByteRange range, LockMode type) {
        return new Lock(range.first(), range.length(), kind(type));
    }

    private static Kind kind(LockMode type) {
        return switch (type) {
            case READ -> Kind.READ;
            case WRITE -> Kind.WRITE;
        };
    }

    private static RangeLock<StateOwner> local(Lock lock) {
        var type =
                switch (lock.kind()) {
                    case READ -> LockMode.READ;
                    case WRITE -> LockMode.WRITE;
                };
        return new RangeLock<>(
                LOCAL, type, ByteRange.of(lock.offset(), lock.length()).orElse(ByteRange.ALL));
    }
}
