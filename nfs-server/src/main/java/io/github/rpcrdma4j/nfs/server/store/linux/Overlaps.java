package io.github.rpcrdma4j.nfs.server.store.linux;

import io.github.rpcrdma4j.nfs.server.store.FileId;
import io.github.rpcrdma4j.nfs.server.store.FileStatus;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Tells which changes had their file to themselves. Only of those is it sure what the file was
 * before them: the attributes from before (RFC 1813, Section 2.6) must not hide what another call
 * did in between. It makes no call wait. Thread-safe; it remembers a file only while it is being
 * changed.
 */
final class Overlaps {
    /** The changes of one file that are in progress; mixed once there were two. */
    private record Crowd(int inside, boolean mixed) {}

    private final ConcurrentHashMap<FileId, Crowd> crowds = new ConcurrentHashMap<>();

    /** A change in progress; closing it ends it. */
    final class Stay implements AutoCloseable {
        private final FileId file;

        private Stay(FileId file) {
            this.file = file;
        }

        /** The attributes from before this change, unless another was made through this server. */
        Optional<FileStatus> of(FileStatus before) {
            return crowds.get(file).mixed ? Optional.empty() : Optional.of(before);
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
    Stay begin(FileId file) {
        crowds.merge(file, new Crowd(1, false), (crowd, _) -> new Crowd(crowd.inside + 1, true));
        return new Stay(file);
    }

    /** How many files are being changed. */
    int files() {
        return crowds.size();
    }
}
