package io.github.rpcrdma4j.nfs.nio.routed;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystem;
import java.nio.file.Path;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Watches directories of this machine and of servers: one service of each file system, and a thread
 * for each that waits for its keys. Thread-safe.
 */
final class RoutedWatchService implements WatchService {
    /** What a waiter finds when the service is closed. */
    private static final RoutedWatchKey CLOSED = new RoutedWatchKey(null, null, null);

    private final LinkedBlockingQueue<RoutedWatchKey> signalled = new LinkedBlockingQueue<>();
    private final Map<WatchKey, RoutedWatchKey> keys = new ConcurrentHashMap<>();
    private final Map<FileSystem, Source> sources = new HashMap<>();
    private final Source platform;
    private boolean isClosed;

    /**
     * A service of one file system.
     *
     * @param turn is held while a directory is registered, so that its key is known here before it
     *     is signalled. Each has its own: a server that does not answer delays no other file system
     */
    private record Source(WatchService service, Object turn) {
        Source(WatchService service) {
            this(service, new Object());
        }
    }

    RoutedWatchService(WatchService platform) {
        this.platform = new Source(platform);
        startWaiting(this.platform);
    }

    private void startWaiting(Source source) {
        Thread.ofVirtual().name("watch").start(() -> waitFor(source));
    }

    private void waitFor(Source source) {
        try {
            while (true) {
                var key = source.service.take();
                synchronized (source.turn) {
                    var own = keys.get(key);
                    // A key that was cancelled since then is of no interest any more.
                    if (own != null) {
                        signalled.add(own);
                    }
                }
            }
        } catch (ClosedWatchServiceException | InterruptedException _) {
            // The service is closed: nothing comes any more.
        }
    }

    private synchronized Source source(FileSystem files, boolean isLocal) throws IOException {
        if (isClosed) {
            throw new ClosedWatchServiceException();
        }
        if (isLocal) {
            return platform;
        }
        var source = sources.get(files);
        if (source == null) {
            source = new Source(files.newWatchService());
            sources.put(files, source);
            startWaiting(source);
        }
        return source;
    }

    WatchKey register(
            RoutedPath directory, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers)
            throws IOException {
        Path used = directory.used();
        var source = source(used.getFileSystem(), used == directory.local());
        synchronized (source.turn) {
            var key = used.register(source.service, events, modifiers);
            return keys.computeIfAbsent(key, _ -> new RoutedWatchKey(key, directory, keys::remove));
        }
    }

    private WatchKey found(RoutedWatchKey key) {
        if (key == CLOSED) {
            signalled.add(CLOSED);
            throw new ClosedWatchServiceException();
        }
        return key;
    }

    @Override
    public WatchKey poll() {
        return found(signalled.poll());
    }

    @Override
    public WatchKey poll(long timeout, TimeUnit unit) throws InterruptedException {
        return found(signalled.poll(timeout, unit));
    }

    @Override
    public WatchKey take() throws InterruptedException {
        return found(signalled.take());
    }

    @Override
    public synchronized void close() throws IOException {
        if (!isClosed) {
            isClosed = true;
            platform.service.close();
            for (var each : sources.values()) {
                each.service.close();
            }
            signalled.clear();
            signalled.add(CLOSED);
        }
    }
}
