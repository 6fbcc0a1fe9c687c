package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.client.local.LocalFile;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Copies the contents of a regular file of a server to a local file. The copy grants no more than
 * its source granted both before the first byte was read and after each part of it. For one copy.
 *
 * <p>Tests: {@code VersionsOfCopiesTest}, {@code NarrowedSourcesTest}.
 */
final class WholeGet implements LocalFiles.Filling {
    private final CopyContext context;
    private final String from;

    /** Whether the attributes of the file are as old as a listing. */
    private final boolean isListed;

    /** How many bytes were read. */
    private final AtomicLong moved = new AtomicLong();

    private RemoteFile file;
    private ReadRights rights;

    /** What the file granted before it was read once more; null if it was not. */
    private RemoteSource again;

    /**
     * @param from the source, for messages
     * @param isListed whether the attributes of the file are as old as a listing: if a READ shows
     *     that it has changed since, it is read once more
     */
    WholeGet(CopyContext context, RemoteFile file, String from, boolean isListed) {
        this.context = context;
        this.from = from;
        this.isListed = isListed;
        this.file = file;
        this.rights = new ReadRights(context, file, from);
    }

    /** Returns whether the replies that bring the bytes of a file tell whether it has changed. */
    static boolean isCheckedWhenRead(CopyContext context, RemoteFile file) {
        long size = file.attributes().size();
        return size > 0 && size <= context.readMax() && !hasHoles(file);
    }

    /** Returns whether a file has holes, as its storage tells. */
    static boolean hasHoles(RemoteFile file) {
        var attributes = file.attributes();
        return Long.compareUnsigned(attributes.used(), attributes.size()) < 0;
    }

    @Override
    public void fill(LocalFile copy) throws IOException, InterruptedException {
        try {
            read(copy);
        } catch (IOException shorter) {
            if (!isListed || !rights.haveChanged()) {
                throw shorter;
            }
        }
        if (isListed && !rights.areOfListing()) {
            context.listener().lost(moved.get());
            copy.resize(0);
            file = ServerCopy.now(context, file, from);
            again = context.source(file, from);
            rights = new ReadRights(context, file, from);
            read(copy);
        }
    }

    private void read(LocalFile copy) throws IOException, InterruptedException {
        boolean hasHoles = hasHoles(file);
        var writing = FileGet.into(copy, hasHoles);
        var told = rights;
        var sink =
                new FileGet.Sink() {
                    @Override
                    public void accept(long offset, MemorySegment bytes) throws IOException {
                        writing.accept(offset, bytes);
                        moved.addAndGet(bytes.byteSize());
                    }

                    @Override
                    public void told(Optional<FileAttributes> attributes) {
                        told.told(attributes);
                    }
                };
        new FileGet(context, file, "cannot read " + from, sink).run(context.outstanding());
        if (hasHoles) {
            copy.resize(file.attributes().size());
        }
    }

    @Override
    public RemoteSource kept(RemoteSource before) throws IOException, InterruptedException {
        return rights.narrowed(again == null ? before : again);
    }
}
