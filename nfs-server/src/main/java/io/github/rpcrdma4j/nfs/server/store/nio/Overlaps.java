package io.github.rpcrdma4j.nfs.server.store.nio;

import java.util.concurrent.ConcurrentHashMap;

/**
 * Tells which changes had their file to themselves. Only of those is it sure what the file was
 * before them: the pre-operation attributes of RFC 1813, Section 2.6, must not hide what another
 * call did in between. No call waits here. Thread-safe; it remembers a file only while it is being
 * changed.
 */
final class Overlaps {
    /** The changes of one file at the same time; mixed once there were two. */
    private record Crowd(int inside, boolean mixed) {}

    private final ConcurrentHashMap<Inode, Crowd> crowds = new ConcurrentHashMap<>();

    /** A change in progress; closing it ends it. */
    final class Stay implements AutoCloseable {
        private final Inode file;

        private Stay(Inode file) {
            this.file = file;
        }

        /** Whether no other call has changed the file since this one began. */
        boolean alone() {
            return !crowds.get(file).mixed;
        }

        @Override
        public void close() {
            crowds.computeIfPresent(
                    file,
                    (_, crowd) ->
                            crowd.inside == 1 ? null : new Crowd(crowd.inside - 1, crowd.mixed));
        }
    }

    /** Begins a change: before the file's attributes are read. */
    Stay begin(Inode file) {
        crowds.merge(file, new Crowd(1, false), (crowd, one) -> new Crowd(crowd.inside + 1, true));
        return new Stay(file);
    }

    /** How many files are being changed. */
    int files() {
        return crowds.size();
    }
}
