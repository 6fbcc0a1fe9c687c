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
    private final Map<FileSystem, WatchService> services = new HashMap<>();
    private final WatchService platform;
    private boolean isClosed;

    RoutedWatchService(WatchService platform) {
        this.platform = platform;
        startWaiting(platform);
    }

    private void startWaiting(WatchService service) {
        Thread.ofVirtual().name("watch").start(() -> waitFor(service));
    }

    private void waitFor(WatchService service) {
        try {
            while (true) {
                var key = service.take();
                // A key may be signalled before it is registered here.
                synchronized (keys) {
                    signalled.add(keys.get(key));
                }
            }
        } catch (ClosedWatchServiceException | InterruptedException _) {
            // The service is closed: nothing comes any more.
        }
    }

    private synchronized WatchService service(FileSystem files, boolean isLocal)
            throws IOException {
        if (isClosed) {
            throw new ClosedWatchServiceException();
        }
        if (isLocal) {
            return platform;
        }
        var service = services.get(files);
        if (service == null) {
            service = files.newWatchService();
            services.put(files, service);
            startWaiting(service);
        }
        return service;
    }

    WatchKey register(
            RoutedPath directory, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers)
            throws IOException {
        Path used = directory.used();
        var service = service(used.getFileSystem(), used == directory.local());
        synchronized (keys) {
            var key = used.register(service, events, modifiers);
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
            platform.close();
            for (var each : services.values()) {
                each.close();
            }
            signalled.clear();
            signalled.add(CLOSED);
        }
    }
}
