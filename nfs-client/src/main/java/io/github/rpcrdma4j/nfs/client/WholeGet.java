package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.client.NfsMount.RemoteFile;
import io.github.rpcrdma4j.nfs.client.local.LocalFile;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Copies the contents of a regular file of a server to a local file. The copy grants no more than
 * its source granted both before the first byte was read and after each part of it. For one copy.
 */
final class WholeGet implements LocalFiles.Filling {
    private static final int ALL = 07777;

    private final Copier copier;
    private final RemoteFile file;
    private final String from;
    private final boolean hasHoles;

    /** What the file granted after each READ, as a mode. */
    private final AtomicInteger granted = new AtomicInteger(ALL);

    /** Whether the reply to some READ did not tell that; RFC 1813 allows it. */
    private volatile boolean isUntold;

    /**
     * @param from the source, for messages
     * @param hasHoles whether the source has holes
     */
    WholeGet(Copier copier, RemoteFile file, String from, boolean hasHoles) {
        this.copier = copier;
        this.file = file;
        this.from = from;
        this.hasHoles = hasHoles;
    }

    @Override
    public void fill(LocalFile copy) throws IOException, InterruptedException {
        var writing = FileGet.into(copy, hasHoles);
        var sink =
                new FileGet.Sink() {
                    @Override
                    public void accept(long offset, MemorySegment bytes) throws IOException {
                        writing.accept(offset, bytes);
                    }

                    @Override
                    public void told(Optional<FileAttributes> attributes) {
                        WholeGet.this.told(attributes);
                    }
                };
        new FileGet(copier, file, "cannot read " + from, sink).run(copier.outstanding());
        if (hasHoles) {
            copy.resize(file.attributes().size());
        }
    }

    /** Notes what the reply to a READ told of the file. */
    void told(Optional<FileAttributes> attributes) {
        attributes.ifPresentOrElse(
                now -> granted.accumulateAndGet(now.mode(), (a, b) -> a & b),
                () -> isUntold = true);
    }

    @Override
    public RemoteSource kept(RemoteSource before) throws IOException, InterruptedException {
        int mode = granted.get();
        if (!isUntold && before.asLocal().grantsNoMoreThan(mode)) {
            return before;
        }
        var now = ServerCopy.now(copier, file, from);
        return before.asLocal().grantsNoMoreThan(mode & now.attributes().mode())
                ? before
                : before.narrowed(copier.source(now, from), mode);
    }
}
