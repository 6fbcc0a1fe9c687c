package io.github.rpcrdma4j.nfs.server.store;

import java.util.concurrent.ConcurrentHashMap;

/**
 * The changes of files that overlap in time. A change may tell a client what a file was like before
 * it only if no other came in between: the attributes from before (RFC 1813, Section 2.6) must not
 * hide what another call did. No call waits here. Thread-safe; a file is remembered only while it
 * is being changed.
 *
 * @param <F> knows a file
 */
public final class ConcurrentChanges<F> {
    /** The changes of one file that are in progress; mixed once there were two. */
    private record InProgress(int count, boolean mixed) {}

    private final ConcurrentHashMap<F, InProgress> files = new ConcurrentHashMap<>();

    /** A change in progress; closing it ends it. */
    public final class Span implements AutoCloseable {
        private final F file;

        private Span(F file) {
            this.file = file;
        }

        /** Whether no other call has changed the file since this change began. */
        public boolean isAlone() {
            return !files.get(file).mixed;
        }

        @Override
        public void close() {
            files.computeIfPresent(
                    file,
                    (_, now) -> now.count == 1 ? null : new InProgress(now.count - 1, now.mixed));
        }
    }

    /** Begins a change: before the file's attributes are read. */
    public Span begin(F file) {
        files.merge(
                file, new InProgress(1, false), (now, _) -> new InProgress(now.count + 1, true));
        return new Span(file);
    }

    /** How many files are being changed. */
    public int files() {
        return files.size();
    }
}
