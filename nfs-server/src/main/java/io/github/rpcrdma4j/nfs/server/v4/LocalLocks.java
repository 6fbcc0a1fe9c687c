package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.server.served.Exports.CallTarget;
import io.github.rpcrdma4j.nfs.server.state.ByteRange;
import io.github.rpcrdma4j.nfs.server.state.FileKey;
import io.github.rpcrdma4j.nfs.server.state.LockMode;
import io.github.rpcrdma4j.nfs.server.state.ProcessLocks;
import io.github.rpcrdma4j.nfs.server.state.RangeLock;
import io.github.rpcrdma4j.nfs.server.store.Failure;
import io.github.rpcrdma4j.nfs.server.store.KernelLocks;
import io.github.rpcrdma4j.nfs.server.store.KernelLocks.Kind;
import io.github.rpcrdma4j.nfs.server.store.KernelLocks.Lock;
import io.github.rpcrdma4j.nfs.server.store.StoreException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The locks of clients towards the processes of this machine. An operation prepares a file before
 * its event, because opening the locks of a file may wait and events must not. Thread-safe.
 */
final class LocalLocks implements ProcessLocks {
    /** The owner of locks of local processes. */
    private static final String LOCAL = "a local process";

    /** The open locks of one file. The monitor of the map guards the fields. */
    private static final class OpenLocks {
        /** Null if the store has no such locks. */
        final KernelLocks locks;

        int users;
        boolean isHeld;

        OpenLocks(KernelLocks locks) {
            this.locks = locks;
        }
    }

    private final Map<FileKey, OpenLocks> files = new HashMap<>();

    /** Keeps the locks of a file open until it is closed. */
    interface Preparation extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * Opens the locks of a file for an event.
     *
     * @throws StoreException AGAIN if the locks of too many files are open
     */
    Preparation prepare(CallTarget file) throws StoreException {
        var key = RegularFiles.key(file);
        synchronized (files) {
            var known = files.get(key);
            if (known != null) {
                known.users++;
                return () -> release(key);
            }
        }
        var opened = open(file);
        synchronized (files) {
            var known = files.computeIfAbsent(key, _ -> new OpenLocks(opened));
            known.users++;
            if (known.locks != opened && opened != null) {
                opened.close();
            }
        }
        return () -> release(key);
    }

    private static KernelLocks open(CallTarget file) throws StoreException {
        try {
            return file.node().openLocks();
        } catch (StoreException failure) {
            if (failure.failure() == Failure.NOTSUPP) {
                return null;
            }
            throw failure;
        }
    }

    private void release(FileKey file) {
        synchronized (files) {
            var known = files.get(file);
            known.users--;
            closeIfUnused(file, known);
        }
    }

    private void closeIfUnused(FileKey file, OpenLocks known) {
        if (known.users == 0 && !known.isHeld) {
            files.remove(file);
            if (known.locks != null) {
                known.locks.close();
            }
        }
    }

    private KernelLocks find(FileKey file, boolean isHeld) {
        synchronized (files) {
            var known = files.get(file);
            if (known == null) {
                return null;
            }
            known.isHeld |= isHeld;
            return known.locks;
        }
    }

    @Override
    public Optional<RangeLock<String>> lock(FileKey file, LockMode type, ByteRange range) {
        var locks = find(file, true);
        if (locks == null) {
            return Optional.empty();
        }
        try {
            return locks.set(lock(type, range)).map(LocalLocks::local);
        } catch (StoreException failure) {
            return refused(failure, type, range);
        }
    }

    @Override
    public Optional<RangeLock<String>> conflict(FileKey file, LockMode type, ByteRange range) {
        var locks = find(file, false);
        if (locks == null) {
            return Optional.empty();
        }
        try {
            return locks.conflict(lock(type, range)).map(LocalLocks::local);
        } catch (StoreException failure) {
            return refused(failure, type, range);
        }
    }

    /**
     * Returns what stands for a failure of the kernel. A file that the server cannot open for
     * writing has its locks among clients only. Without memory for locks, none is granted.
     */
    private static Optional<RangeLock<String>> refused(
            StoreException failure, LockMode type, ByteRange range) {
        return failure.failure() == Failure.AGAIN
                ? Optional.of(new RangeLock<>(LOCAL, type, range))
                : Optional.empty();
    }

    @Override
    public void unlock(FileKey file, ByteRange range) {
        var locks = find(file, false);
        if (locks != null) {
            try {
                locks.clear(range.first(), range.length());
            } catch (StoreException _) {
                // The lock goes at the latest when the file has no locks any more.
            }
        }
    }

    @Override
    public void close(FileKey file) {
        synchronized (files) {
            var known = files.get(file);
            if (known != null) {
                known.isHeld = false;
                closeIfUnused(file, known);
            }
        }
    }

    /** Closes all locks; no event may happen any more. */
    void closeAll() {
        synchronized (files) {
            for (var known : files.values()) {
                if (known.locks != null) {
                    known.locks.close();
                }
            }
            files.clear();
        }
    }

    private static Lock lock(LockMode type, ByteRange range) {
        var kind =
                switch (type) {
                    case READ -> Kind.READ;
                    case WRITE -> Kind.WRITE;
                };
        return new Lock(range.first(), range.length(), kind);
    }

    private static RangeLock<String> local(Lock lock) {
        var type =
                switch (lock.kind()) {
                    case READ -> LockMode.READ;
                    case WRITE -> LockMode.WRITE;
                };
        return new RangeLock<>(
                LOCAL, type, ByteRange.of(lock.offset(), lock.length()).orElse(ByteRange.ALL));
    }
}
