package io.github.rpcrdma4j.nfs.server.store.linux;

import io.github.rpcrdma4j.nfs.server.store.FileId;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Provides a lock for each file that is being changed, so that the attributes from before and after
 * a change are due to that change alone. Thread-safe.
 */
final class FileLocks {
    private static final class Counted {
        final ReentrantLock lock = new ReentrantLock();
        int users;
    }

    private final ConcurrentHashMap<FileId, Counted> locks = new ConcurrentHashMap<>();

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
            locks.computeIfPresent(file, (_, there) -> --there.users == 0 ? null : there);
        }
    }

    Held lock(FileId file) {
        var counted =
                locks.compute(
                        file,
                        (_, there) -> {
                            var used = there == null ? new Counted() : there;
                            used.users++;
                            return used;
                        });
        counted.lock.lock();
        return new Held(file, counted);
    }

    /** Returns the number of files that are being changed. */
    int size() {
        return locks.size();
    }
}
