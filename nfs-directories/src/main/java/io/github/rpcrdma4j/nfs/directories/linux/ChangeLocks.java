package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.StoreException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/**
 * Provides a lock for each file that is being changed, so that the attributes from before and after
 * a change are due to that change alone. Thread-safe.
 */
final class ChangeLocks {
    /** How often a thread that waits looks whether the change before hangs. */
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final class Counted {
        final ReentrantLock lock = new ReentrantLock();
        int users;
    }

    private final ConcurrentHashMap<FileId, Counted> locks = new ConcurrentHashMap<>();
    private final Predicate<FileId> hangs;

    /**
     * @param hangs whether an operation at a file does not come back
     */
    ChangeLocks(Predicate<FileId> hangs) {
        this.hangs = hangs;
    }

    /** A held lock. Closing it on the same thread unlocks it. */
    final class Held implements AutoCloseable {
        private final FileId file;
        private final Counted counted;

        private Held(FileId file, Counted counted) {
            this.file = file;
            this.counted = counted;
        }

        @Override
        public void close() {
            counted.lock.unlock();
            release(file);
        }
    }

    /**
     * Locks a file, after a wait for other changes of it.
     *
     * @throws StoreException AGAIN if one of these hangs
     */
    Held lock(FileId file) throws StoreException {
        var counted =
                locks.compute(
                        file,
                        (_, there) -> {
                            var used = there == null ? new Counted() : there;
                            used.users++;
                            return used;
                        });
        boolean isLocked = false;
        try {
            await(counted.lock, file);
            isLocked = true;
            return new Held(file, counted);
        } finally {
            if (!isLocked) {
                release(file);
            }
        }
    }

    private void await(ReentrantLock lock, FileId file) throws StoreException {
        if (lock.tryLock()) {
            return;
        }
        try {
            while (!lock.tryLock(LOOK_NANOS, TimeUnit.NANOSECONDS)) {
                if (hangs.test(file)) {
                    throw new StoreException(Failure.AGAIN, "a change of the file hangs");
                }
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new StoreException(Failure.AGAIN, "the server is closing");
        }
    }

    private void release(FileId file) {
        locks.computeIfPresent(file, (_, there) -> --there.users == 0 ? null : there);
    }

    /** Returns the number of files that are being changed. */
    int size() {
        return locks.size();
    }
}
