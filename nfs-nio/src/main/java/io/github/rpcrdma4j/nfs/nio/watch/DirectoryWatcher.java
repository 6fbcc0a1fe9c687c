package io.github.rpcrdma4j.nfs.nio.watch;

import io.github.rpcrdma4j.nfs.nio.tree.DirectoryNames;
import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Watches directories of a server: a thread lists them now and then, and compares. A server tells
 * no client of what others do, so an event comes up to that time later, and a file that is made and
 * removed in between shows no event. Thread-safe.
 *
 * <p>Tests: {@code WatchContract}.
 */
public final class DirectoryWatcher implements WatchService {
    /**
     * How often a program would like the JDK to look. It is told by its name, because its module
     * need not be there, and has no effect: the pause is an option of the file system.
     */
    private static final String SENSITIVITY = "com.sun.nio.file.SensitivityWatchEventModifier";

    private static final List<WatchEvent.Kind<?>> KINDS =
            List.of(
                    StandardWatchEventKinds.ENTRY_CREATE,
                    StandardWatchEventKinds.ENTRY_DELETE,
                    StandardWatchEventKinds.ENTRY_MODIFY);

    /** Lists a directory. */
    public interface Lister {
        /** Begins to list a directory. */
        DirectoryNames list(Path directory) throws IOException;
    }

    private final Lister lister;
    private final Duration pause;
    private final Consumer<DirectoryWatcher> closed;
    private final LinkedBlockingDeque<WatchedDirectory> signalled = new LinkedBlockingDeque<>();

    /** Guarded by this object, like the fields below. */
    private final Map<Path, WatchedDirectory> watched = new LinkedHashMap<>();

    private Thread looking;
    private boolean isClosed;

    /**
     * Creates a watcher of no directories.
     *
     * @param pause the time between two looks at all directories
     * @param closed hears that the watcher is closed
     */
    public DirectoryWatcher(Lister lister, Duration pause, Consumer<DirectoryWatcher> closed) {
        this.lister = lister;
        this.pause = pause;
        this.closed = closed;
    }

    /**
     * Watches a directory.
     *
     * @param directory of this file system
     * @throws IOException if it cannot be listed now
     * @throws UnsupportedOperationException if a kind of events or a modifier is not known
     */
    public WatchKey register(
            Path directory, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers)
            throws IOException {
        for (var each : modifiers) {
            Objects.requireNonNull(each, "a modifier is null");
            if (!each.getClass().getName().equals(SENSITIVITY)) {
                throw new UnsupportedOperationException("no modifier of watching: " + each.name());
            }
        }
        var kinds = kinds(events);
        var snapshot = read(directory);
        synchronized (this) {
            if (isClosed) {
                throw new ClosedWatchServiceException();
            }
            var known = watched.get(directory);
            if (known != null) {
                known.want(kinds);
                return known;
            }
            var made = new WatchedDirectory(this, directory, kinds, snapshot);
            watched.put(directory, made);
            if (looking == null) {
                looking = Thread.ofVirtual().name("nfs-watch").start(this::lookUntilClosed);
            }
            return made;
        }
    }

    private static List<WatchEvent.Kind<?>> kinds(WatchEvent.Kind<?>... events) {
        var kinds = new ArrayList<WatchEvent.Kind<?>>();
        for (var each : events) {
            Objects.requireNonNull(each, "a kind of events is null");
            if (KINDS.contains(each)) {
                kinds.add(each);
            } else if (each != StandardWatchEventKinds.OVERFLOW) {
                throw new UnsupportedOperationException("no kind of events: " + each.name());
            }
        }
        if (kinds.isEmpty()) {
            throw new IllegalArgumentException("no kind of events");
        }
        return kinds;
    }

    /** Lists a directory to its end. */
    Snapshot read(Path directory) throws IOException {
        try (var names = lister.list(directory)) {
            return Snapshot.of(names);
        }
    }

    private synchronized List<WatchedDirectory> all() {
        return List.copyOf(watched.values());
    }

    private void lookUntilClosed() {
        try {
            while (!isClosed()) {
                TimeUnit.NANOSECONDS.sleep(pause.toNanos());
                all().forEach(WatchedDirectory::look);
            }
        } catch (InterruptedException _) {
            // It was closed.
        }
    }

    private synchronized boolean isClosed() {
        return isClosed;
    }

    /** Gives a key to who waits for one. */
    void signal(WatchedDirectory key) {
        signalled.add(key);
    }

    /** Does not look at a directory any more. */
    synchronized void forget(WatchedDirectory key) {
        watched.remove(key.watchable(), key);
    }

    private WatchedDirectory opened(WatchedDirectory key) {
        if (isClosed()) {
            if (key != null) {
                // Others may wait, too.
                signalled.addFirst(END);
            }
            throw new ClosedWatchServiceException();
        }
        return key;
    }

    /** Wakes who waits when the watcher is closed. */
    private static final WatchedDirectory END =
            new WatchedDirectory(null, null, List.of(), new Snapshot(Map.of()));

    @Override
    public WatchKey poll() {
        return opened(signalled.poll());
    }

    @Override
    public WatchKey poll(long timeout, TimeUnit unit) throws InterruptedException {
        opened(null);
        return opened(signalled.poll(timeout, unit));
    }

    @Override
    public WatchKey take() throws InterruptedException {
        opened(null);
        return opened(signalled.take());
    }

    /** Ends the watching, and the waits for keys, with {@link ClosedWatchServiceException}. */
    @Override
    public void close() {
        List<WatchedDirectory> left;
        synchronized (this) {
            if (isClosed) {
                return;
            }
            isClosed = true;
            left = List.copyOf(watched.values());
            if (looking != null) {
                looking.interrupt();
            }
        }
        left.forEach(WatchedDirectory::cancel);
        signalled.addFirst(END);
        closed.accept(this);
    }
}
