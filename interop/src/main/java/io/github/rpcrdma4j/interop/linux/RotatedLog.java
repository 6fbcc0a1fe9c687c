package io.github.rpcrdma4j.interop.linux;

import static java.nio.file.StandardWatchEventKinds.ENTRY_CREATE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_MODIFY;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** The log file of a server that is renamed now and then, as logrotate does. Used by one thread. */
final class RotatedLog implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** What a line has in which the server says that it has read its config file again. */
    private static final Pattern RELOADED = Pattern.compile("\\breloaded\\b");

    private final Path path;
    private final List<Path> renamed = new ArrayList<>();

    /** Tells of all changes in the directory of the log. */
    private final WatchService changes;

    RotatedLog(Path path) throws IOException {
        this.path = path;
        changes = path.getFileSystem().newWatchService();
        path.getParent().register(changes, ENTRY_CREATE, ENTRY_MODIFY);
    }

    /** Returns where the server opens the log. */
    Path path() {
        return path;
    }

    /** Renames the log. The server goes on with it until it opens the log again. */
    void rotate() throws IOException {
        var target = path.resolveSibling(path.getFileName() + "." + (renamed.size() + 1));
        renamed.add(Files.move(path, target));
    }

    /** Returns the lines about reloads in a file of the log. */
    private static List<String> reloads(Path file) throws IOException {
        try (var lines = Files.lines(file)) {
            return lines.filter(line -> RELOADED.matcher(line).find()).toList();
        }
    }

    /** Returns the lines about all reloads so far. */
    List<String> reloads() throws IOException {
        var lines = new ArrayList<String>();
        for (var file : renamed) {
            lines.addAll(reloads(file));
        }
        if (Files.exists(path)) {
            lines.addAll(reloads(path));
        }
        return lines;
    }

    /**
     * Waits for the line about a reload.
     *
     * @param number that of the reload, from 1
     */
    String awaitReload(int number) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        for (var lines = reloads(); ; lines = reloads()) {
            if (lines.size() >= number) {
                return lines.get(number - 1);
            }
            var changed = changes.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (changed == null) {
                throw new IOException("our server does not say that it has reloaded: see " + path);
            }
            changed.pollEvents();
            changed.reset();
        }
    }

    @Override
    public void close() throws IOException {
        changes.close();
    }
}
