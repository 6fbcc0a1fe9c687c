package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.client.NfsMount.RemoteFile;
import io.github.rpcrdma4j.nfs.client.local.LocalFile;
import io.github.rpcrdma4j.nfs.client.local.LocalNames;
import io.github.rpcrdma4j.nfs.client.local.LocalPath;
import io.github.rpcrdma4j.nfs.client.local.LocalStatus;
import io.github.rpcrdma4j.nfs.client.local.LocalTree;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.FileType;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.Place;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Copies single files between a server and this machine. A file has another name until it is
 * complete, so nothing half-written is ever found under its own, and only its owner can read it
 * until then; under its own name it may be its owner's alone for a moment. Thread-safe.
 *
 * <p>Permissions are never wider than those of the source: a new file has them less the umask, a
 * file that is replaced keeps its own as far as the source has them. What else is kept is a matter
 * of {@link PreservedAttributes}.
 */
public final class Copier {
    private static final long POOL_BYTES = 128L << 20;
    private static final int TRANSFER_MAX = 1 << 20;
    private static final int TRANSFER_MIN = 4096;

    private final NfsMount mount;
    private final ClientOptions options;
    private final CopyListener listener;
    private final PreservedAttributes kept;
    private final AttributePreserver attributes = new AttributePreserver();
    private final int umask = Umask.ofProcess();
    private final SegmentPool pool = new SegmentPool(POOL_BYTES);
    private final AtomicInteger leftOnServer = new AtomicInteger();
    private final AtomicInteger leftHere = new AtomicInteger();
    private final RemoteFiles remote;
    private final int readMax;
    private final int writeMax;

    /** Keeps permissions and no other attributes; asks the server for its limits. */
    public Copier(NfsMount mount, ClientOptions options, CopyListener listener)
            throws IOException, InterruptedException {
        this(mount, options, listener, PreservedAttributes.PERMISSIONS);
    }

    /** Asks the server for its limits. */
    public Copier(
            NfsMount mount, ClientOptions options, CopyListener listener, PreservedAttributes kept)
            throws IOException, InterruptedException {
        this.mount = mount;
        this.options = options;
        this.listener = listener;
        this.kept = kept;
        this.remote = new RemoteFiles(this);
        var info = mount.info();
        readMax = Math.clamp(Integer.toUnsignedLong(info.readMax()), TRANSFER_MIN, TRANSFER_MAX);
        writeMax = Math.clamp(Integer.toUnsignedLong(info.writeMax()), TRANSFER_MIN, TRANSFER_MAX);
    }

    NfsMount mount() {
        return mount;
    }

    Nfs3Client client() {
        return mount.client();
    }

    SegmentPool pool() {
        return pool;
    }

    /** The most bytes of a READ. */
    int readMax() {
        return readMax;
    }

    /** The most bytes of a WRITE. */
    int writeMax() {
        return writeMax;
    }

    ClientOptions options() {
        return options;
    }

    CopyListener listener() {
        return listener;
    }

    PreservedAttributes kept() {
        return kept;
    }

    /** What a new file does not get. */
    int umask() {
        return umask;
    }

    /**
     * The mode of a directory that is filled.
     *
     * @param complete the mode that it has in the end, where it has the owner from the start
     */
    int filling(int complete) {
        return kept.attributes() ? Modes.FILLING_DIRECTORY : complete | Modes.FILLING_DIRECTORY;
    }

    AttributePreserver attributes() {
        return attributes;
    }

    RemoteFiles remote() {
        return remote;
    }

    LocalFiles local(LocalTree tree) {
        return new LocalFiles(this, tree);
    }

    /** A temporary file could not be removed, as the server was not to be asked any more. */
    void countLeftOnServer() {
        leftOnServer.incrementAndGet();
    }

    /** A temporary file of this machine could not be removed. */
    void countLeftHere() {
        leftHere.incrementAndGet();
    }

    /**
     * Temporary files on the server of copies that failed and could not be removed, as the server
     * was not to be asked any more; a later copy to the same directory removes them.
     */
    public int leftOnServer() {
        return leftOnServer.get();
    }

    /** Temporary files on this machine of copies that failed, and could not be removed. */
    public int leftHere() {
        return leftHere.get();
    }

    /**
     * Removes temporary files that copies which have ended left in a directory of the server. In a
     * directory of very many names only the first ones are looked at. What cannot be removed stays.
     */
    public void sweep(FileHandle directory) throws InterruptedException {
        remote.sweepSome(directory);
    }

    /**
     * Removes temporary files that copies which have ended left in a local directory. What cannot
     * be removed stays.
     */
    public void sweep(Path directory) {
        var what = "cannot list " + directory;
        try (var tree = LocalTree.open(directory, what)) {
            local(tree).sweep(LocalPath.ROOT, directory.toString());
        } catch (IOException _) {
            // The copy itself tells what is wrong.
        }
    }

    /** Leases of memory that are open; 0 when no copy is in progress. */
    public int leasedMemory() {
        return pool.leased();
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
        listener.expect(file.attributes().size());
        new FileGet(this, file, "cannot read " + name, sink).run(1);
        listener.file(name, file.attributes().size());
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
     * Copies a regular file from the server, in place of what is there but a directory.
     *
     * @param name of the file, for messages
     * @param target in a directory that is there
     */
    public void get(RemoteFile file, String name, Path target)
            throws IOException, InterruptedException {
        requireRegular(file.attributes(), name);
        var whole = target.toAbsolutePath();
        try (var tree = LocalTree.open(whole.getParent(), "cannot write " + target)) {
            get(
                    local(tree),
                    file,
                    name,
                    LocalPath.ROOT.child(LocalNames.of(whole.getFileName())),
                    target.toString());
        }
        requireKept();
    }

    /**
     * Copies a regular file from the server.
     *
     * @param from the source, for messages
     * @param to the target, for messages
     */
    void get(LocalFiles local, RemoteFile file, String from, LocalPath target, String to)
            throws IOException, InterruptedException {
        long size = file.attributes().size();
        boolean hasHoles = Long.compareUnsigned(file.attributes().used(), size) < 0;
        listener.expect(size);
        local.get(
                file.attributes(),
                target,
                to,
                part -> {
                    new FileGet(this, file, "cannot read " + from, FileGet.into(part, hasHoles))
                            .run(options.outstanding());
                    if (hasHoles) {
                        part.resize(size);
                    }
                });
        listener.file(to, size);
    }

    /**
     * Copies a regular local file to the server. One that tells no size is read to its end.
     *
     * @param source links are followed
     * @param name of the target, for messages
     */
    public void put(Path source, Place target, String name)
            throws IOException, InterruptedException {
        var real = source.toRealPath();
        var what = "cannot read " + source;
        var replaced = mount.find(target, "cannot write " + name).map(RemoteFile::attributes);
        try (var tree = LocalTree.open(real.getParent(), what);
                var file =
                        tree.read(LocalPath.ROOT.child(LocalNames.of(real.getFileName())), what)) {
            put(file, file.status(), target, replaced, source.toString(), name);
        }
        requireKept();
    }

    /**
     * Copies a regular local file to the server.
     *
     * @param status of the source when it was opened
     * @param replaced what is there under the name
     * @param from the source, for messages
     * @param to the target, for messages
     * @return the copy
     */
    FileHandle put(
            LocalFile source,
            LocalStatus status,
            Place target,
            Optional<FileAttributes> replaced,
            String from,
            String to)
            throws IOException, InterruptedException {
        var what = "cannot write " + to;
        listener.expect(status.size());
        var made =
                remote.put(
                        target,
                        Optional.of(status),
                        replaced,
                        to,
                        part -> {
                            if (status.size() == 0) {
                                return putSequence(new Sequence(source), part, what, 1);
                            }
                            new FilePut(this, source, status, part, from, what)
                                    .run(options.outstanding());
                            return status.size();
                        });
        listener.file(to, made.bytes());
        return made.handle();
    }

    /**
     * Copies what a channel gives to the server, to its end.
     *
     * @param source read by several threads in turn; an interrupt closes it if it can be
     *     interrupted
     * @param name of the target, for messages
     */
    public void put(ReadableByteChannel source, Place target, String name)
            throws IOException, InterruptedException {
        var what = "cannot write " + name;
        var replaced = mount.find(target, what).map(RemoteFile::attributes);
        try {
            var made =
                    remote.put(
                            target,
                            Optional.empty(),
                            replaced,
                            name,
                            part ->
                                    putSequence(
                                            memory ->
                                                    Math.max(source.read(memory.asByteBuffer()), 0),
                                            part,
                                            what,
                                            options.outstanding()));
            listener.file(name, made.bytes());
        } catch (ClosedByInterruptException _) {
            // An interrupt closes a channel that is in use: it is told as what it is.
            Thread.interrupted();
            throw new InterruptedException();
        }
    }

    private long putSequence(
            StreamPut.Source source, FileHandle target, String what, int outstanding)
            throws IOException, InterruptedException {
        return new StreamPut(this, source, target, what).run(outstanding);
    }

    /** The bytes of a file in order, whatever size it tells. */
    private static final class Sequence implements StreamPut.Source {
        private final LocalFile file;
        private long offset;

        Sequence(LocalFile file) {
            this.file = file;
        }

        @Override
        public int read(MemorySegment target) throws IOException {
            int count = file.read(target, offset);
            offset += count;
            return count;
        }
    }

    /**
     * @throws IncompleteTreeException if what was copied was not given the attributes that it shall
     *     have; the listener was told
     */
    private void requireKept() throws IncompleteTreeException {
        var failures = attributes.takeFailures();
        if (!failures.isEmpty()) {
            failures.forEach(listener::failed);
            throw new IncompleteTreeException(failures.size());
        }
    }
}
