package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.v3.FileHandle;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Tells which changes had their file to themselves. Only of those is it sure what the file was
 * before them: the pre-operation attributes of RFC 1813, Section 2.6, must not hide what somebody
 * else did in between. Nobody waits here. Thread-safe; it remembers a file only while it is being
 * changed.
 */
final class Overlaps {
    /** Those who change one file at the same time; mixed once there were two. */
    private record Crowd(int inside, boolean mixed) {}

    private final ConcurrentHashMap<FileHandle, Crowd> crowds = new ConcurrentHashMap<>();

    /** A change in progress; closing it ends it. */
    final class Stay implements AutoCloseable {
        private final FileHandle file;

        private Stay(FileHandle file) {
            this.file = file;
        }

        /** Whether nobody else has changed the file through this server since this one began. */
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
    Stay begin(FileHandle file) {
        crowds.merge(file, new Crowd(1, false), (crowd, one) -> new Crowd(crowd.inside + 1, true));
        return new Stay(file);
    }

    /** How many files are being changed. */
    int files() {
        return crowds.size();
    }
}
