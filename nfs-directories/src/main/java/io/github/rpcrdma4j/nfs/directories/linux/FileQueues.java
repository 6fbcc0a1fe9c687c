package io.github.rpcrdma4j.nfs.directories.linux;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Jobs that wait for a thread, in one queue for each file or other place. Threads take jobs from
 * the files in turn, and a few at a time of each: so a file at which all jobs hang leaves the other
 * threads to other files, also before any thread can know that they hang. Thread-safe.
 *
 * <p>Threads with special credentials take the jobs, and nothing that they do here wakes a virtual
 * thread: the JVM may start a carrier for one, which would inherit the credentials. So they have
 * monitors and no locks, and only threads of the store wait for turns.
 *
 * @param <F> a file
 * @param <J> a job
 */
final class FileQueues<F, J> {
    private final int ofFileMax;

    /** The files with jobs that wait or run. Guarded by this, like the fields below. */
    private final Map<Object, OfFile<J>> files = new HashMap<>();

    /**
     * The files of which a job may run now, in the order of their turns, and some whose jobs were
     * removed. A thread that waits for one looks for it again and again for some microseconds,
     * because waking it costs as much as a short job.
     */
    private final LinkedTransferQueue<OfFile<J>> turns = new LinkedTransferQueue<>();

    private int ready;

    private static final class OfFile<J> {
        final Object key;
        final ArrayDeque<J> waiting = new ArrayDeque<>();
        int running;
        boolean isAmongTurns;

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
    boolean add(F file, J job) {
        OfFile<J> queue;
        synchronized (this) {
            queue = files.computeIfAbsent(file == null ? job : file, OfFile::new);
            queue.waiting.addLast(job);
            // Those before it are among the turns, or wait for the end of others.
            if (queue.running + queue.waiting.size() > ofFileMax) {
                return false;
            }
            ready++;
            if (queue.isAmongTurns) {
                // Jobs that are handed over, and not yet taken, are ready too, and need a thread.
                return turns.getWaitingConsumerCount() < ready;
            }
            queue.isAmongTurns = true;
        }
        if (turns.tryTransfer(queue)) {
            return false;
        }
        turns.add(queue);
        return true;
    }

    /** Returns how many jobs may run now. */
    synchronized int ready() {
        return ready;
    }

    /** Takes the next job; null if none may run now. */
    Taken<J> poll() {
        for (var queue = turns.poll(); queue != null; queue = turns.poll()) {
            var taken = take(queue);
            if (taken != null) {
                return taken;
            }
        }
        return null;
    }

    /** Takes the next job, and waits for one for some seconds at most; null if there is none. */
    Taken<J> poll(long seconds) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (true) {
            var queue = turns.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            var taken = queue == null ? null : take(queue);
            if (queue == null || taken != null) {
                return taken;
            }
        }
    }

    /** Takes a job of a file whose turn it is; null if its jobs were removed. */
    private Taken<J> take(OfFile<J> queue) {
        J job;
        boolean hasNext;
        synchronized (this) {
            if (readyOf(queue) == 0) {
                queue.isAmongTurns = false;
                return null;
            }
            ready--;
            queue.running++;
            job = queue.waiting.removeFirst();
            hasNext = readyOf(queue) > 0;
            queue.isAmongTurns = hasNext;
        }
        if (hasNext) {
            turns.add(queue);
        }
        return new Taken<>(job, queue);
    }

    /** Notes that a job has ended. */
    void ended(Taken<J> taken) {
        @SuppressWarnings("unchecked")
        var queue = (OfFile<J>) taken.queue;
        synchronized (this) {
            int before = readyOf(queue);
            queue.running--;
            boolean isReady = readyOf(queue) > before;
            ready += isReady ? 1 : 0;
            if (queue.waiting.isEmpty() && queue.running == 0) {
                files.remove(queue.key);
            }
            if (!isReady || queue.isAmongTurns) {
                return;
            }
            queue.isAmongTurns = true;
        }
        turns.add(queue);
    }

    /** Takes out waiting jobs. They do not run. */
    synchronized List<J> remove(Predicate<J> which) {
        var removed = new ArrayList<J>();
        for (var queue : List.copyOf(files.values())) {
            int before = readyOf(queue);
            queue.waiting.removeIf(job -> which.test(job) && removed.add(job));
            ready += readyOf(queue) - before;
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
