package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.server.driver.ExportedFile;
import io.github.rpcrdma4j.nfs.server.served.RecentlyUsed;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.Node.Changed;
import io.github.rpcrdma4j.nfs.store.Time;
import io.github.rpcrdma4j.nfs.v4.type.ChangeInfo;

/**
 * Computes the change attribute of a file from its change time, in nanoseconds (RFC 8881, Section
 * 5.8.1.4). The clock of some kernels ticks every few milliseconds, so two changes can have one
 * change time. Then a counter of the changes that this server made is added. Thread-safe.
 */
final class ChangeCounter {
    private static final long NANOS = 1_000_000_000;

    /** The number of files whose counters are kept. */
    private static final int FILES_MAX = 65_536;

    /** The changes of a file that have one change time. */
    private record Count(Time changed, long changes) {}

    private final RecentlyUsed<ExportedFile, Count> counts = new RecentlyUsed<>(FILES_MAX);

    /** Returns the change attribute of a file with this status. */
    long of(ExportedFile file, FileStatus status) {
        var changed = status.changed();
        long time = nanos(changed);
        var count = counts.find(file);
        return count != null && count.changed.equals(changed) ? time + count.changes : time;
    }

    /** Returns the change attribute of a file whose every change has another time. */
    static long nanos(Time changed) {
        return changed.seconds() * NANOS + changed.nanos();
    }

    /** Counts a change of a file if its change time does not show it. */
    void changed(ExportedFile file, Changed<?> change) {
        if (change.after().isEmpty()) {
            return;
        }
        var after = change.after().get().changed();
        boolean isShown =
                change.before().isPresent() && !change.before().get().changed().equals(after);
        if (!isShown) {
            synchronized (this) {
                var count = counts.find(file);
                long before = count != null && count.changed.equals(after) ? count.changes : 0;
                counts.put(file, new Count(after, before + 1));
            }
        }
    }

    /**
     * Counts a change of a directory, and returns the change attributes before and after it. They
     * are never atomic, because local processes may change the directory too.
     */
    ChangeInfo info(ExportedFile directory, Changed<?> change) {
        long before = change.before().map(status -> of(directory, status)).orElse(0L);
        changed(directory, change);
        long after = change.after().map(status -> of(directory, status)).orElse(0L);
        return new ChangeInfo(false, before, after);
    }
}
