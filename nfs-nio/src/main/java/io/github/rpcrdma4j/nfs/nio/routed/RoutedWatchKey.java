package io.github.rpcrdma4j.nfs.nio.routed;

import java.nio.file.Path;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.Watchable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The key of a watched directory, whose events have paths of the default file system.
 *
 * @param key that of the file system that has the directory
 * @param cancelled is told when the key is cancelled, or is found to be not valid any more
 */
record RoutedWatchKey(WatchKey key, RoutedPath directory, Consumer<WatchKey> cancelled)
        implements WatchKey {
    private record Event<T>(Kind<T> kind, int count, T context) implements WatchEvent<T> {}

    @Override
    public boolean isValid() {
        return key.isValid();
    }

    @Override
    public List<WatchEvent<?>> pollEvents() {
        var events = new ArrayList<WatchEvent<?>>();
        for (var each : key.pollEvents()) {
            events.add(each.context() instanceof Path name ? routed(each, name) : each);
        }
        return events;
    }

    @SuppressWarnings("unchecked")
    private WatchEvent<Path> routed(WatchEvent<?> event, Path name) {
        return new Event<>(
                (WatchEvent.Kind<Path>) event.kind(),
                event.count(),
                name.getFileSystem() == directory.local().getFileSystem()
                        ? directory.getFileSystem().path(name)
                        : directory.getFileSystem().getPath(name.toString()));
    }

    @Override
    public boolean reset() {
        boolean isValid = key.reset();
        if (!isValid) {
            cancelled.accept(key);
        }
        return isValid;
    }

    @Override
    public void cancel() {
        key.cancel();
        cancelled.accept(key);
    }

    @Override
    public Watchable watchable() {
        return directory;
    }
}
