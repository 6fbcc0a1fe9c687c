package io.github.rpcrdma4j.nfs.directories.common;

import java.util.concurrent.ConcurrentHashMap;

/**
 * Detects changes of a file that overlap in time. A reply may report a file's attributes from
 * before a change only if no other change came in between (RFC 1813, Section 2.6); otherwise they
 * would hide the other change from the client. A call that changes no attributes, such as COMMIT,
 * only observes the changes of others. No call waits here. A file takes memory only while a call
 * changes or observes it. Thread-safe.
 *
 * @param <F> identifies a file
 */
public final class ConcurrentChanges<F> {
    /**
     * The calls in progress on one file.
     *
     * @param changes the changes in progress
     * @param mixed whether any two of them overlapped
     * @param observers the calls that observe the file
     * @param begun the changes that have begun since this record was made
     */
    private record InProgress(int changes, boolean mixed, int observers, long begun) {
        InProgress withChange() {
            return new InProgress(changes + 1, changes > 0, observers, begun + 1);
        }

        InProgress withObserver() {
            return new InProgress(changes, mixed, observers + 1, begun);
        }

        /** Returns null if that was the last call. */
        InProgress without(boolean isChange) {
            if (changes + observers == 1) {
                return null;
            }
            return isChange
                    ? new InProgress(changes - 1, mixed, observers, begun)
                    : new InProgress(changes, mixed, observers - 1, begun);
        }
    }

    private static final InProgress NONE = new InProgress(0, false, 0, 0);

    /** For an observer that began during a change. */
    private static final long NOT_ALONE = -1;

    private final ConcurrentHashMap<F, InProgress> files = new ConcurrentHashMap<>();

    /** A change or an observation in progress; closing it marks its end. */
    public final class Span implements AutoCloseable {
        private final F file;
        private final boolean isChange;

        /** For an observer: the changes that had begun before it, or {@link #NOT_ALONE}. */
        private final long begun;

        private Span(F file, boolean isChange, long begun) {
            this.file = file;
            this.isChange = isChange;
            this.begun = begun;
        }

        /** Returns whether this call has overlapped with no other change of the file so far. */
        public boolean isAlone() {
            var now = files.get(file);
            return isChange ? !now.mixed : now.begun == begun;
        }

        @Override
        public void close() {
            files.computeIfPresent(file, (_, now) -> now.without(isChange));
        }
    }

    /** Begins a change. Call this before reading the attributes of the file. */
    public Span begin(F file) {
        files.compute(file, (_, now) -> (now == null ? NONE : now).withChange());
        return new Span(file, true, 0);
    }

    /**
     * Begins to observe the changes of others, which do not notice it. Call this before reading the
     * attributes of the file.
     */
    public Span observe(F file) {
        var now = files.compute(file, (_, old) -> (old == null ? NONE : old).withObserver());
        return new Span(file, false, now.changes > 0 ? NOT_ALONE : now.begun);
    }

    /** Returns the number of files that calls change or observe. */
    public int files() {
        return files.size();
    }
}
