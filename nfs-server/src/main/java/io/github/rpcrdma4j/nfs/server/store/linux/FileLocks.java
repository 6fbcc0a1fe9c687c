package io.github.rpcrdma4j.nfs.server.store.linux;

import io.github.rpcrdma4j.nfs.server.store.FileId;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A lock for each file that is being changed, so that what a change says of the file before and
 * after it is about that change alone. Thread-safe.
 */
final class FileLocks {
    private static final class Counted {
        final ReentrantLock lock = new ReentrantLock();
        int users;
    }

    private final ConcurrentHashMap<FileId, Counted> locks = new ConcurrentHashMap<>();

    /** A lock that is held; closing it, on the same thread, unlocks. */
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

    /** How many files are being changed. */
    int size() {
        return locks.size();
    }
}
