package io.github.rpcrdma4j.nfs.server.driver;

import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Does slow work at files, such as questions to the kernel about locks, in a queue for each file. A
 * queue has a virtual thread while there is something in it. So a file system that hangs holds up
 * the work at its own files only. Thread-safe.
 *
 * @param <F> what is kept of a file while it is needed; one thread at a time uses it
 */
final class FileQueues<F> {
    /** Something to do at one file, in its turn. */
    interface Work<F> {
        void at(F file);
    }

    /** The work at one file. The monitor of the map guards the fields. */
    private static final class Line<F> {
        final F file;
        final Queue<Work<F>> waiting = new ArrayDeque<>();
        boolean isRunning;

        Line(F file) {
            this.file = file;
        }
    }

    private final String name;
    private final Function<ExportedFile, F> opening;
    private final Predicate<F> isNeeded;
    private final FailureLog failures;
    private final Map<FileKey, Line<F>> files = new HashMap<>();

    /** The monitor of the map guards it. */
    private boolean isClosed;

    /**
     * @param name of the threads
     * @param opening makes what is kept of a file; must not wait
     * @param isNeeded tells whether it is still needed when there is no more work
     */
    FileQueues(
            String name,
            Function<ExportedFile, F> opening,
            Predicate<F> isNeeded,
            FailureLog failures) {
        this.name = name;
        this.opening = opening;
        this.isNeeded = isNeeded;
        this.failures = failures;
    }

    /** Adds work. Once this is closed, the work is not done. */
    void add(FileKey key, Work<F> work) {
        synchronized (files) {
            if (isClosed) {
                return;
            }
            var line =
                    files.computeIfAbsent(key, _ -> new Line<>(opening.apply((ExportedFile) key)));
            add(key, line, work);
        }
    }

    /** Adds work if the file is still needed. Returns false if it is not. */
    boolean addIfNeeded(FileKey key, Work<F> work) {
        synchronized (files) {
            var line = files.get(key);
            if (line != null) {
                add(key, line, work);
            }
            return line != null;
        }
    }

    /**
     * Waits until the work at a file is done that was added before; no longer than a limit, and not
     * if this thread is interrupted.
     */
    void settle(FileKey key, Duration limit) {
        var settled = new CountDownLatch(1);
        Work<F> last = _ -> settled.countDown();
        if (!addIfBusy(key, last)) {
            return;
        }
        try {
            boolean isInTime = settled.await(limit.toNanos(), TimeUnit.NANOSECONDS);
            if (!isInTime) {
                remove(key, last);
            }
        } catch (InterruptedException _) {
            remove(key, last);
            Thread.currentThread().interrupt();
        }
    }

    /** Adds work behind what is in progress. Returns false if there is nothing. */
    private boolean addIfBusy(FileKey key, Work<F> work) {
        synchronized (files) {
            var line = files.get(key);
            boolean isBusy = line != null && line.isRunning;
            if (isBusy) {
                line.waiting.add(work);
            }
            return isBusy;
        }
    }

    private void add(FileKey key, Line<F> line, Work<F> work) {
        line.waiting.add(work);
        if (!line.isRunning) {
            Thread.ofVirtual().name(name).start(() -> run(key, line));
            line.isRunning = true;
        }
    }

    /** Takes back work that has not begun. Returns false if there is none. */
    boolean remove(FileKey key, Work<F> work) {
        synchronized (files) {
            var line = files.get(key);
            return line != null && line.waiting.remove(work);
        }
    }

    /**
     * Takes no more work that opens something: threads that outlast the server could otherwise
     * leave files open, and locks of them held.
     *
     * @return the files that are needed
     */
    List<FileKey> close() {
        synchronized (files) {
            isClosed = true;
            return List.copyOf(files.keySet());
        }
    }

    private void run(FileKey key, Line<F> line) {
        for (var next = next(key, line); next != null; next = next(key, line)) {
            try {
                next.at(line.file);
            } catch (RuntimeException | Error error) {
                // The file keeps its thread after any error: more work waits.
                failures.report("an internal error in the use of a file", error);
            }
        }
    }

    private Work<F> next(FileKey key, Line<F> line) {
        synchronized (files) {
            var next = line.waiting.poll();
            if (next == null) {
                line.isRunning = false;
                if (!isNeeded.test(line.file)) {
                    files.remove(key);
                }
            }
            return next;
        }
    }
}
