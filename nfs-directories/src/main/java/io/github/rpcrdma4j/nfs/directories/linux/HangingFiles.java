package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.nfs.store.FileId;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Finds the files of a store at which operations hang: a file system does not respond, or a process
 * has the lock of a directory in the kernel and does not go on. Few operations may hang at one file
 * and in one store; further ones that must wait fail at once. Thread-safe.
 *
 * <p>A thread notes its operation by two writes to memory of its own. One thread looks at all notes
 * now and then.
 *
 * <p>Tests: {@code FileThreadsTest}.
 */
final class HangingFiles {
    /** An operation that has waited for so long hangs: its thread does not count any more. */
    static final long HANGS_NANOS = Duration.ofSeconds(1).toNanos();

    /**
     * Others wait no more for operations that have hung for so long. A slow disk takes a second or
     * two, and clients that are sent away from it come back much later.
     */
    static final long REFUSED_NANOS = Duration.ofSeconds(5).toNanos();

    /** When so many operations hang at a file for long, further ones do not wait for it. */
    static final int OF_FILE_MAX = 8;

    /**
     * When so many operations hang in a store for long, further ones do not wait. A file counts up
     * to its own bound, however many operations had begun when it began to hang.
     */
    static final int OF_STORE_MAX = 48;

    /** The operation of one thread. Only this thread writes it. */
    static final class Note {
        private final Thread thread = Thread.currentThread();

        /** A number that each operation has for itself; 0 if there is none. */
        private final AtomicLong operation = new AtomicLong();

        /** Where the operation is. Written before the number. */
        private FileId file;

        private long operations;
        private volatile boolean isOfStore;

        /** What the last look has seen first, and when. Only the looking thread uses it. */
        private long seen;

        private long since;

        /**
         * Notes that an operation begins.
         *
         * @param at the file where it may have to wait; null if it may not be refused
         */
        void begin(FileId at) {
            file = at;
            operation.setRelease(++operations);
        }

        /** Notes that the thread is one of the store. */
        void isOfStore() {
            isOfStore = true;
        }

        /** Notes that the operation has ended. */
        void end() {
            operation.setRelease(0);
        }

        /** Returns whether an operation is noted. */
        boolean isBusy() {
            return operation.getPlain() != 0;
        }

        /** Returns how long the operation has been seen; 0 if it is new, or if there is none. */
        private long waited(long now) {
            long number = operation.getAcquire();
            if (number == 0 || number != seen) {
                seen = number;
                since = now;
            }
            return now - since;
        }
    }

    /**
     * What a look has found.
     *
     * @param files where any operation hangs for long
     * @param full where none waits any more
     * @param isFull whether none waits any more in the whole store
     * @param threads how many threads of the store have one that hangs
     */
    private record Found(Set<FileId> files, Set<FileId> full, boolean isFull, int threads) {
        static final Found NOTHING = new Found(Set.of(), Set.of(), false, 0);

        private boolean refuses(FileId file) {
            return isFull || full.contains(file);
        }
    }

    private final Queue<Note> notes = new ConcurrentLinkedQueue<>();
    private final ThreadLocal<Note> own = ThreadLocal.withInitial(this::add);
    private volatile Found found = Found.NOTHING;

    private Note add() {
        var note = new Note();
        notes.add(note);
        return note;
    }

    /** Returns the note of this thread, which must be a platform thread. */
    Note own() {
        return own.get();
    }

    /** Returns whether an operation must not wait where it is. */
    boolean refuses(FileJob.Where where) {
        var last = found;
        // Nearly always nothing hangs.
        return last != Found.NOTHING
                && where.mayBeRefused()
                && (last.refuses(where.file()) || where.others().stream().anyMatch(last::refuses));
    }

    /** Returns whether an operation at one file must not wait there. */
    boolean refuses(FileId file) {
        var last = found;
        return last != Found.NOTHING && last.refuses(file);
    }

    /** Returns whether any operation hangs at a file for long. */
    boolean hangsAt(FileId file) {
        return found.files.contains(file);
    }

    /** Returns how many threads of the store have an operation that hangs. */
    int threads() {
        return found.threads;
    }

    /**
     * Looks for operations that hang. One thread at a time may call this.
     *
     * @param now the time in nanoseconds, of any origin
     */
    void look(long now) {
        Map<FileId, Integer> counts = new HashMap<>();
        int others = 0;
        int threads = 0;
        for (var each = notes.iterator(); each.hasNext(); ) {
            var note = each.next();
            long waited = note.waited(now);
            if (!note.thread.isAlive()) {
                each.remove();
                continue;
            }
            if (waited >= HANGS_NANOS) {
                threads += note.isOfStore ? 1 : 0;
            }
            if (waited >= REFUSED_NANOS) {
                var at = note.file;
                if (at == null) {
                    others++;
                } else {
                    counts.merge(at, 1, Integer::sum);
                }
            }
        }
        var full = new HashSet<FileId>();
        int all = others;
        for (var each : counts.entrySet()) {
            all += Math.min(each.getValue(), OF_FILE_MAX);
            if (each.getValue() >= OF_FILE_MAX) {
                full.add(each.getKey());
            }
        }
        found =
                all == 0 && threads == 0
                        ? Found.NOTHING
                        : new Found(
                                Set.copyOf(counts.keySet()),
                                Set.copyOf(full),
                                all >= OF_STORE_MAX,
                                threads);
    }
}
