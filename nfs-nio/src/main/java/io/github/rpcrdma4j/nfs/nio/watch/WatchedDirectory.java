package io.github.rpcrdma4j.nfs.nio.watch;

import io.github.rpcrdma4j.nfs.nio.path.PathText;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.util.ArrayList;
import java.util.List;

/**
 * A directory that a {@link DirectoryWatcher} looks at. Thread-safe.
 *
 * <p>Tests: {@code WatchContract}.
 */
final class WatchedDirectory implements WatchKey {
    /** The most events that are kept; more become one OVERFLOW. */
    static final int EVENTS_MAX = 512;

    private final DirectoryWatcher watcher;
    private final Path directory;

    /** Guarded by this object, like all fields below. */
    private List<WatchEvent.Kind<?>> kinds;

    private Snapshot known;
    private List<Event<?>> events = new ArrayList<>();
    private boolean isSignalled;
    private boolean isValid = true;

    /** An event; equal ones that follow each other are one. */
    private record Event<T>(Kind<T> kind, T context, int count) implements WatchEvent<T> {}

    WatchedDirectory(
            DirectoryWatcher watcher,
            Path directory,
            List<WatchEvent.Kind<?>> kinds,
            Snapshot known) {
        this.watcher = watcher;
        this.directory = directory;
        this.kinds = kinds;
        this.known = known;
    }

    /** Changes the kinds of events that are wanted. */
    synchronized void want(List<WatchEvent.Kind<?>> changed) {
        kinds = changed;
    }

    /** Looks at the directory. A directory that is not there any more is not watched any more. */
    void look() {
        Snapshot now;
        try {
            now = watcher.read(directory);
        } catch (NoSuchFileException | NotDirectoryException _) {
            cancel();
            signal();
            return;
        } catch (IOException _) {
            // The server may answer next time; what has changed until then is told then.
            return;
        }
        synchronized (this) {
            known.until(now).forEach(this::add);
            known = now;
            if (events.isEmpty()) {
                return;
            }
        }
        signal();
    }

    private void add(Snapshot.Change change) {
        var kind = told(change.kind());
        if (kinds.contains(kind)) {
            add(kind, directory.getFileSystem().getPath(PathText.of(change.name()).toString()));
        }
    }

    /** A file may have been changed since it was made, which shows only as a new file. */
    private WatchEvent.Kind<?> told(WatchEvent.Kind<?> kind) {
        return kind == StandardWatchEventKinds.ENTRY_CREATE && !kinds.contains(kind)
                ? StandardWatchEventKinds.ENTRY_MODIFY
                : kind;
    }

    private void add(WatchEvent.Kind<?> kind, Path name) {
        for (int i = 0; i < events.size(); i++) {
            var each = events.get(i);
            boolean isSame = each.kind() == kind && name.equals(each.context());
            if (isSame || each.kind() == StandardWatchEventKinds.OVERFLOW) {
                events.set(i, new Event<>(cast(each.kind()), each.context(), each.count() + 1));
                return;
            }
        }
        if (events.size() == EVENTS_MAX) {
            events.clear();
            events.add(new Event<>(StandardWatchEventKinds.OVERFLOW, null, 1));
            return;
        }
        events.add(new Event<>(cast(kind), name, 1));
    }

    @SuppressWarnings("unchecked") // The kinds of changes have paths.
    private static WatchEvent.Kind<Object> cast(WatchEvent.Kind<?> kind) {
        return (WatchEvent.Kind<Object>) kind;
    }

    private void signal() {
        synchronized (this) {
            if (isSignalled) {
                return;
            }
            isSignalled = true;
        }
        watcher.signal(this);
    }

    @Override
    public synchronized boolean isValid() {
        return isValid;
    }

    @Override
    public synchronized List<WatchEvent<?>> pollEvents() {
        var taken = events;
        events = new ArrayList<>();
        return List.copyOf(taken);
    }

    @Override
    public boolean reset() {
        boolean isAgain;
        synchronized (this) {
            if (!isValid) {
                return false;
            }
            isAgain = isSignalled && !events.isEmpty();
            isSignalled = isAgain;
        }
        if (isAgain) {
            watcher.signal(this);
        }
        return true;
    }

    @Override
    public void cancel() {
        synchronized (this) {
            isValid = false;
        }
        watcher.forget(this);
    }

    @Override
    public Path watchable() {
        return directory;
    }
}
