package io.github.rpcrdma4j.nfs.server.store.linux;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Jobs that wait for a thread, in one queue for each file or other place. Threads take jobs from
 * the files in turn, and a few at a time of each: so a file at which all jobs hang leaves the other
 * threads to other files, also before any thread can know that they hang. Thread-safe.
 *
 * <p>Threads with special credentials use it. So it has monitors and no locks: a thread that leaves
 * a monitor starts no carrier for a virtual thread that waits for it.
 *
 * @param <F> a file
 * @param <J> a job
 */
final class FileQueues<F, J> {
    private final int ofFileMax;

    /** The files with jobs that wait or run. Guarded by this, like the fields below. */
    private final Map<Object, OfFile<J>> files = new HashMap<>();

    /** The files of which a job may run now, in the order of their turns. */
    private final ArrayDeque<OfFile<J>> turns = new ArrayDeque<>();

    private int ready;
    private int idleThreads;

    private static final class OfFile<J> {
        final Object key;
        final ArrayDeque<J> waiting = new ArrayDeque<>();
        int running;

        OfFile(Object key) {
            this.key = key;
        }
    }

    /**
     * A job that a thread has taken.
     *
     * @param job what to do
     * @param queue is given back to {@link #ended}
     */
    record Taken<J>(J job, Object queue) {}

    /**
     * @param ofFileMax how many jobs of a file run at a time
     */
    FileQueues(int ofFileMax) {
        this.ofFileMax = ofFileMax;
    }

    /**
     * Adds a job.
     *
     * @param file where it is; null if it is at none
     * @return whether it needs another thread than those that are idle
     */
    synchronized boolean add(F file, J job) {
        Object key = file == null ? job : file;
        var queue = files.computeIfAbsent(key, OfFile::new);
        queue.waiting.addLast(job);
        // Those before it are among the turns, or wait for the end of others.
        if (queue.running + queue.waiting.size() > ofFileMax) {
            return false;
        }
        if (queue.waiting.size() == 1) {
            turns.addLast(queue);
        }
        ready++;
        if (idleThreads > 0) {
            notify();
        }
        return idleThreads < ready;
    }

    /** Returns how many jobs may run now. */
    synchronized int ready() {
        return ready;
    }

    /** Takes the next job; null if none may run now. */
    synchronized Taken<J> poll() {
        var queue = turns.pollFirst();
        if (queue == null) {
            return null;
        }
        ready--;
        queue.running++;
        var job = queue.waiting.removeFirst();
        if (mayRunOne(queue)) {
            turns.addLast(queue);
        }
        return new Taken<>(job, queue);
    }

    private boolean mayRunOne(OfFile<J> queue) {
        return !queue.waiting.isEmpty() && queue.running < ofFileMax;
    }

    /** Takes the next job, and waits for one for some seconds at most; null if there is none. */
    synchronized Taken<J> poll(long seconds) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (turns.isEmpty()) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return null;
            }
            idleThreads++;
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } finally {
                idleThreads--;
            }
        }
        return poll();
    }

    /** Notes that a job has ended. */
    synchronized void ended(Taken<J> taken) {
        @SuppressWarnings("unchecked")
        var queue = (OfFile<J>) taken.queue;
        int before = readyOf(queue);
        queue.running--;
        if (readyOf(queue) > before) {
            ready++;
            if (before == 0) {
                turns.addLast(queue);
            }
            if (idleThreads > 0) {
                notify();
            }
        }
        if (queue.waiting.isEmpty() && queue.running == 0) {
            files.remove(queue.key);
        }
    }

    /** Takes out waiting jobs. They do not run. */
    synchronized List<J> remove(Predicate<J> which) {
        var removed = new ArrayList<J>();
        for (var queue : List.copyOf(files.values())) {
            int before = readyOf(queue);
            queue.waiting.removeIf(job -> which.test(job) && removed.add(job));
            int after = readyOf(queue);
            ready += after - before;
            if (before > 0 && after == 0) {
                turns.remove(queue);
            }
            if (queue.waiting.isEmpty() && queue.running == 0) {
                files.remove(queue.key);
            }
        }
        return removed;
    }

    private int readyOf(OfFile<J> queue) {
        return Math.min(queue.waiting.size(), ofFileMax - queue.running);
    }
}
