package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.local.LocalFile;
import io.github.rpcrdma4j.nfs.client.local.LocalPath;
import io.github.rpcrdma4j.nfs.client.local.LocalStatus;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.NameMemory;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.service.Status;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.ValueLayout;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Copies single files between a server and this machine. A file has a temporary name until it is
 * complete, so an incomplete file never appears under its final name. Until then only its owner can
 * read it. A complete file may be its owner's alone for a moment. Thread-safe.
 *
 * <p>Group and others may never read or write more than in the source. A new file has the source's
 * permissions less the umask. A replaced file keeps its own permissions within that limit. {@link
 * PreservedAttributes} selects what else is kept.
 *
 * <p>Tests: {@code CopiesTest}.
 */
public final class Copier {
    private static final long POOL_BYTES = 128L << 20;

    /** A server with a longer step is not believed: old copies would seem to be new. */
    private static final Duration TIME_STEP_MAX = Duration.ofSeconds(2);

    private final CopyContext context;
    private final RemoteFiles remote;

    /** Creates a copier that keeps permissions alone, and asks the server for its limits. */
    public Copier(NfsMount mount, ClientOptions options, CopyListener listener)
            throws IOException, InterruptedException {
        this(mount, options, listener, PreservedAttributes.PERMISSIONS);
    }

    /**
     * Creates a copier and asks the server for its limits.
     *
     * @param kept the attributes that each copy keeps of its source
     */
    public Copier(
            NfsMount mount, ClientOptions options, CopyListener listener, PreservedAttributes kept)
            throws IOException, InterruptedException {
        this(mount, options, listener, kept, false);
    }

    /**
     * Creates a copier that can go on where an earlier one ended.
     *
     * @param kept the attributes that each copy keeps of its source
     * @param resumes whether incomplete copies of large files are kept if they fail, and those that
     *     ended processes left are completed
     */
    public Copier(
            NfsMount mount,
            ClientOptions options,
            CopyListener listener,
            PreservedAttributes kept,
            boolean resumes)
            throws IOException, InterruptedException {
        context = CopyContext.ask(mount, options, listener, kept, resumes);
        remote = new RemoteFiles(context);
    }

    /** Returns what all copies share. */
    CopyContext context() {
        return context;
    }

    RemoteFiles remote() {
        return remote;
    }

    /** Returns what failed copies left behind. */
    public Leftovers leftovers() {
        return context.leftovers();
    }

    /**
     * Removes temporary files of ended copies from a directory of the server. In a very large
     * directory it checks only the first names. Files that cannot be removed stay.
     */
    public void sweep(FileHandle directory) throws InterruptedException {
        remote.sweepSome(directory);
    }

    /**
     * Removes temporary files of ended copies from a directory, or from that of another local file.
     * Files that cannot be removed stay.
     */
    public void sweep(LocalPlace place) {
        try (var names = new NameMemory().share()) {
            new LocalFiles(context, place.tree())
                    .sweep(place.holder(), names, place.directory().toString());
        } catch (IOException _) {
            // If something is wrong, the copy itself will report it.
        }
    }

    /** Returns the number of open memory leases; 0 when no copy is in progress. */
    public int leasedMemory() {
        return context.pool().leased();
    }

    /**
     * Writes a whole file to a stream, in order.
     *
     * @param name of the file, for messages
     */
    public void stream(RemoteFile file, String name, OutputStream out)
            throws IOException, InterruptedException {
        requireRegular(file.attributes(), name);
        FileGet.Sink sink = (_, bytes) -> out.write(bytes.toArray(ValueLayout.JAVA_BYTE));
        context.listener().expect(file.attributes().size());
        new FileGet(context, file, "cannot read " + name, sink).run(1);
        context.listener().file(name, file.attributes().size());
    }

    private static void requireRegular(FileAttributes file, String name) throws IOException {
        if (file.type() != FileType.REGULAR) {
            throw new IOException(
                    "cannot read "
                            + name
                            + ": it is a "
                            + RemoteFiles.words(file.type())
                            + ", and has no contents on the server");
        }
    }

    /**
     * Copies a regular file from the server. It replaces an existing file, but not a directory.
     *
     * @param name of the file, for messages
     * @param target its directory must exist
     */
    public void get(RemoteFile file, String name, Path target)
            throws IOException, InterruptedException {
        try (var opened = LocalPlace.open(target, "cannot write " + target)) {
            get(file, name, opened, target.toString());
        }
    }

    /**
     * Copies a regular file from the server, as the method above does.
     *
     * @param to the target, for messages
     */
    public void get(RemoteFile file, String name, LocalPlace target, String to)
            throws IOException, InterruptedException {
        requireRegular(file.attributes(), name);
        get(new LocalFiles(context, target.tree()), file, name, target.path(), to, false);
        requireKept();
    }

    /**
     * Copies a regular file of a listing from the server. The listing may be outdated.
     *
     * @param from the source, for messages
     * @param to the target, for messages
     */
    void getListed(LocalFiles local, RemoteFile listed, String from, LocalPath target, String to)
            throws IOException, InterruptedException {
        boolean isChecked = WholeGet.isCheckedWhenRead(context, listed);
        var file = isChecked ? listed : ServerCopy.now(context, listed, from);
        get(local, file, from, target, to, isChecked);
    }

    /**
     * Copies a regular file from the server.
     *
     * @param from the source, for messages
     * @param to the target, for messages
     * @param isListed whether the attributes of the file are as old as a listing: only if {@link
     *     WholeGet#isCheckedWhenRead}
     */
    private void get(
            LocalFiles local,
            RemoteFile file,
            String from,
            LocalPath target,
            String to,
            boolean isListed)
            throws IOException, InterruptedException {
        long size = file.attributes().size();
        boolean hasHoles = WholeGet.hasHoles(file);
        context.listener().expect(size);
        if (context.resumes() && size >= Checkpoint.FILE_MIN) {
            new ResumedGet(local, file, context.source(file, from), target, from, to, hasHoles)
                    .run();
            context.listener().file(to, size);
            return;
        }
        local.get(
                context.source(file, from),
                target,
                to,
                new WholeGet(context, file, from, isListed));
        context.listener().file(to, size);
    }

    /**
     * Copies a regular local file to the server. A file of size 0, like those of {@code /proc}, is
     * read until its end.
     *
     * @param source links are followed
     * @param name of the target, for messages
     */
    public void put(Path source, RemotePlace target, String name)
            throws IOException, InterruptedException {
        try (var opened = LocalPlace.follow(source, "cannot read " + source)) {
            put(opened, source.toString(), target, name);
        }
    }

    /**
     * Copies a regular local file to the server, as the method above does.
     *
     * @param source a link is not followed
     * @param from the source, for messages
     * @param to the target, for messages
     */
    public void put(LocalPlace source, String from, RemotePlace target, String to)
            throws IOException, InterruptedException {
        put(source, from, target, context.service().find(target, "cannot write " + to), to);
    }

    /**
     * Copies a regular local file to the server, as the method above does.
     *
     * @param replaced the existing file of the target's name, as it was found a moment ago
     */
    public void put(
            LocalPlace source,
            String from,
            RemotePlace target,
            Optional<RemoteFile> replaced,
            String to)
            throws IOException, InterruptedException {
        var attributes = replaced.map(RemoteFile::attributes);
        try (var file = source.tree().read(source.path(), "cannot read " + from)) {
            put(file, file.status(), target, attributes, from, to);
        }
        requireKept();
    }

    /**
     * Copies a regular local file to the server.
     *
     * @param status of the source when it was opened
     * @param replaced attributes of the existing file of that name
     * @param from the source, for messages
     * @param to the target, for messages
     * @return the handle of the copy
     */
    FileHandle put(
            LocalFile source,
            LocalStatus status,
            RemotePlace target,
            Optional<FileAttributes> replaced,
            String from,
            String to)
            throws IOException, InterruptedException {
        var what = "cannot write " + to;
        if (status.size() > context.sizeMax()) {
            throw new NfsException(what, Status.FBIG);
        }
        context.listener().expect(status.size());
        var keeping = LocalSource.of(source, status, context);
        if (context.resumes() && status.size() >= Checkpoint.FILE_MIN) {
            var put = new ResumedPut(remote, source, keeping, target, replaced, from, to);
            put.run();
            context.listener().file(to, status.size());
            return put.handle();
        }
        var filling = new PutFilling(new SourceBytes(source, status, from), keeping, what);
        var made = remote.put(target, Optional.of(keeping), replaced, to, filling);
        context.listener().file(to, made.bytes());
        return made.handle();
    }

    /** Fills a file with the bytes of a local one: at once if it is small. */
    private final class PutFilling implements RemoteFiles.Filling {
        private final SourceBytes source;
        private final LocalSource keeping;
        private final String what;
        private final SmallPut small;

        PutFilling(SourceBytes source, LocalSource keeping, String what) {
            this.source = source;
            this.keeping = keeping;
            this.what = what;
            this.small = new SmallPut(context, source, what);
        }

        @Override
        public Optional<TemporaryFile> make(RemotePlace temporary)
                throws IOException, InterruptedException {
            return SmallPut.fits(context, source) ? small.make(temporary) : Optional.empty();
        }

        @Override
        public long fill(FileHandle copy) throws IOException, InterruptedException {
            if (source.status().size() == 0) {
                return putSequence(StreamPut.of(source.file()), copy, what, 1);
            }
            return small.isBegun()
                    ? small.fill(copy)
                    : new FilePut(context, source, copy, what).run(context.outstanding());
        }

        @Override
        public Optional<LocalSource> kept(Optional<LocalSource> before) throws IOException {
            return Optional.of(keeping.narrowed(source.file(), context.kept()));
        }
    }

    /**
     * Copies a regular file of the server to another place on it.
     *
     * @param from the source, for messages
     * @param to the target, for messages
     */
    public void copy(RemoteFile file, String from, RemotePlace target, String to)
            throws IOException, InterruptedException {
        requireRegular(file.attributes(), from);
        var replaced =
                context.service().find(target, "cannot write " + to).map(RemoteFile::attributes);
        copy(file, from, target, replaced, to);
        requireKept();
    }

    /**
     * Copies a regular file of the server to another place on it.
     *
     * @param replaced attributes of the existing file of that name
     * @return the handle of the copy
     */
    FileHandle copy(
            RemoteFile file,
            String from,
            RemotePlace target,
            Optional<FileAttributes> replaced,
            String to)
            throws IOException, InterruptedException {
        context.listener().expect(file.attributes().size());
        var made = new ServerCopy(remote, from, to).run(file, target, replaced);
        context.listener().file(to, made.bytes());
        return made.handle();
    }

    /**
     * Copies the bytes of a channel to the server, until the end of the channel.
     *
     * @param source read by several threads in turn; an interrupt closes it if it is interruptible
     * @param name of the target, for messages
     */
    public void put(ReadableByteChannel source, RemotePlace target, String name)
            throws IOException, InterruptedException {
        var what = "cannot write " + name;
        var replaced = context.service().find(target, what).map(RemoteFile::attributes);
        try {
            var made =
                    remote.put(
                            target,
                            Optional.empty(),
                            replaced,
                            name,
                            copy ->
                                    putSequence(
                                            memory ->
                                                    Math.max(source.read(memory.asByteBuffer()), 0),
                                            copy,
                                            what,
                                            context.outstanding()));
            context.listener().file(name, made.bytes());
        } catch (ClosedByInterruptException _) {
            // An interrupt closed the channel while it was in use: report the interrupt.
            Thread.interrupted();
            throw new InterruptedException();
        }
    }

    private long putSequence(
            StreamPut.Source source, FileHandle target, String what, int outstanding)
            throws IOException, InterruptedException {
        return new StreamPut(context, source, target, what).run(outstanding);
    }

    /**
     * Throws if some attributes of copies could not be kept.
     *
     * @throws IncompleteTreeException then; the listener has received each failure
     */
    private void requireKept() throws IncompleteTreeException {
        var failures = context.takeFailures();
        if (!failures.isEmpty()) {
            failures.forEach(context.listener()::failed);
            throw new IncompleteTreeException(failures.size());
        }
    }
}
