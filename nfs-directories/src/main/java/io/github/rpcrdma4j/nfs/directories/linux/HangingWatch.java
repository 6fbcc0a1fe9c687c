package io.github.rpcrdma4j.nfs.directories.linux;

import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Looks at all stores once a second for operations that hang. Thread-safe. */
final class HangingWatch {
    /** The only instance. A thread with ordinary credentials must access it first. */
    static final HangingWatch SHARED = new HangingWatch();

    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Set<FileThreads> watched = new CopyOnWriteArraySet<>();

    private HangingWatch() {
        Thread.ofPlatform().daemon().name("nfs-files-watch").start(this::watch);
    }

    void add(FileThreads threads) {
        watched.add(threads);
    }

    void remove(FileThreads threads) {
        watched.remove(threads);
    }

    private void watch() {
        while (true) {
            LockSupport.parkNanos(PAUSE_NANOS);
            for (var each : watched) {
                try {
                    each.look(System.nanoTime());
                } catch (OutOfMemoryError _) {
                    // The next look may have more luck.
                }
            }
        }
    }
}
