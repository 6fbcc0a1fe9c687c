package io.github.rpcrdma4j.nfs.nio.channel;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The locks of a channel. Thread-safe. */
final class ChannelLocks {
    private final ChannelFile file;
    private final LockTable table;

    /** Guarded by this object, like the field below. */
    private final List<RangeLock> locks = new ArrayList<>();

    /** Whether the open file tells when locks are lost. */
    private boolean isWatched;

    ChannelLocks(ChannelFile file, LockTable table) {
        this.file = file;
        this.table = table;
    }

    /**
     * Keeps the range of a lock for this channel, before the server is asked for it.
     *
     * @throws java.nio.channels.OverlappingFileLockException if this program has or wants a lock
     *     there
     */
    void reserve(RangeLock lock) {
        table.add(file.identity(), lock);
    }

    /**
     * Asks the server for a lock whose range was reserved.
     *
     * @param wait how long to wait for the locks of others; zero for a single attempt
     * @return false if another one still has a lock there; the range is then not reserved any more
     */
    boolean isTaken(RangeLock lock, Duration wait) throws IOException, InterruptedException {
        boolean isLocked = false;
        try {
            add(lock);
            isLocked =
                    file.service()
                            .lock(
                                    file.open(),
                                    lock.range(),
                                    !lock.isShared(),
                                    wait,
                                    file.locking());
        } finally {
            if (!isLocked) {
                forget(lock);
            }
        }
        return isLocked;
    }

    private synchronized void add(RangeLock lock) {
        locks.add(lock);
        if (!isWatched) {
            isWatched = true;
            file.open().whenLockLost(this::lose);
        }
    }

    private synchronized void lose() {
        locks.forEach(RangeLock::lose);
        isWatched = false;
    }

    /** Gives up a range, without the server. */
    void forget(RangeLock lock) {
        synchronized (this) {
            locks.remove(lock);
        }
        lock.lose();
        table.remove(file.identity(), lock);
    }

    private synchronized boolean has(RangeLock lock) {
        return locks.contains(lock);
    }

    /** Gives a lock back. Giving it back twice is harmless. */
    void release(RangeLock lock) throws IOException, InterruptedException {
        if (has(lock)) {
            // Of a lost lock nothing is left at the server, but this side still refuses to write.
            file.service().unlock(file.open(), lock.range(), file.locking());
            forget(lock);
        }
    }

    /** Forgets all locks: the server has, because the file is closed. */
    void close() {
        List<RangeLock> left;
        synchronized (this) {
            left = List.copyOf(locks);
        }
        left.forEach(this::forget);
    }
}
