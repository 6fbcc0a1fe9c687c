package io.github.rpcrdma4j.nfs.server.store;

import java.util.concurrent.ConcurrentHashMap;

/**
 * Detects changes of a file that overlap in time. A reply may report a file's attributes from
 * before a change only if no other change came in between (RFC 1813, Section 2.6); otherwise they
 * would hide the other change from the client. No call waits here. A file takes memory only while
 * it is being changed. Thread-safe.
 *
 * @param <F> identifies a file
 */
public final class ConcurrentChanges<F> {
    /** The changes in progress of one file; mixed if any two of them overlapped. */
    private record InProgress(int count, boolean mixed) {}

    private final ConcurrentHashMap<F, InProgress> files = new ConcurrentHashMap<>();

    /** A change in progress; closing it marks its end. */
    public final class Span implements AutoCloseable {
        private final F file;

        private Span(F file) {
            this.file = file;
        }

        /** Returns whether this change has overlapped with no other change of the file so far. */
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

    /** Begins a change. Call this before reading the attributes of the file. */
    public Span begin(F file) {
        files.merge(
                file, new InProgress(1, false), (now, _) -> new InProgress(now.count + 1, true));
        return new Span(file);
    }

    /** Returns the number of files that are being changed. */
    public int files() {
        return files.size();
    }
}
