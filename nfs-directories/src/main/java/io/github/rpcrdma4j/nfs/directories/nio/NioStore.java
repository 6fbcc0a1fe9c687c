package io.github.rpcrdma4j.nfs.directories.nio;

import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.directories.common.ConcurrentChanges;
import io.github.rpcrdma4j.nfs.directories.common.StoreUses;
import io.github.rpcrdma4j.nfs.directories.index.NodeIndex;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.Node.Changed;
import io.github.rpcrdma4j.nfs.store.Node.Storage;
import io.github.rpcrdma4j.nfs.store.Origin;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ProcessCredential;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A store on any {@link FileSystem} of {@code java.nio.file}. It uses the rights of the process for
 * every caller. So a process that runs as root, whose callers would all get its rights, may not
 * open the operating system's files as such a store. Thread-safe.
 *
 * <p>Java identifies files by paths. A path is used only after the file at its end was checked to
 * be the right one. So if a directory on the path was replaced by a link, the result is a stale
 * file and not a file outside the export. A lock keeps the path valid while it is used. Most calls
 * share the lock; REMOVE, RMDIR and RENAME, which take a name away from a file or a directory, hold
 * it exclusively. All stores of one file system share the lock, since one can lie inside another.
 * Other processes of this machine that may change names in the export do not use the lock; the
 * store trusts them.
 */
public final class NioStore implements FileStore {
    /** The scheme of the JDK's zip files. */
    private static final String ARCHIVE_SCHEME = "jar";

    /** The most attempts to find a file that the index drops concurrently. */
    private static final int ATTEMPTS_MAX = 4;

    private static final Map<FileSystem, ReadWriteLock> PATHS = new WeakHashMap<>();

    /** An operation on a file while its path is valid. */
    interface Step<R> {
        R run(ResolvedFile file) throws StoreException;
    }

    /** A change while the paths of its files are valid. */
    interface ChangeStep<R> {
        R run(Change change) throws StoreException;
    }

    private final Path root;
    private final WriteVerifier verifier;
    private final AttributeReader reader;
    private final NodeIndex<Inode> index;
    private final OpenFiles openFiles;
    private final Listings listings = new Listings();
    private final ConcurrentChanges<Inode> concurrentChanges = new ConcurrentChanges<>();
    private final FileData data;
    private final PathNames directories;
    private final AttributeWriter writer;
    private final ReadWriteLock paths;
    private final boolean forcesDirectories;
    private final boolean readOnly;
    private final StoreUses uses = new StoreUses(this::release);

    private NioStore(Path root, AttributeReader reader, WriteVerifier verifier) throws IOException {
        this.root = root;
        this.reader = reader;
        this.verifier = verifier;
        this.index = new NodeIndex<>(reader.read(root).inode(), this::walk, NodeIndex.NODES_MAX);
        this.openFiles = new OpenFiles(verifier);
        this.writer = new AttributeWriter(reader, openFiles);
        this.data = new FileData(this, openFiles);
        this.directories = new PathNames(this, reader, writer, openFiles, index);
        this.forcesDirectories = Forcing.canForce(root);
        this.readOnly = root.getFileSystem().isReadOnly() || isArchive(root.getFileSystem());
        synchronized (PATHS) {
            this.paths =
                    PATHS.computeIfAbsent(root.getFileSystem(), _ -> new ReentrantReadWriteLock());
        }
    }

    /**
     * Opens the store of a directory.
     *
     * @param directory in any file system; it must stay open while the store is used
     * @param fileSystem the file system id for clients
     * @param verifier its write verifier
     * @throws IOException if it is no directory or cannot be read, if this process must not serve
     *     it, or if its file system has no {@link java.nio.channels.FileChannel}
     */
    public static NioStore open(Path directory, long fileSystem, WriteVerifier verifier)
            throws IOException {
        boolean isRoot = ProcessCredential.read() instanceof Credential.Sys own && own.uid() == 0;
        if (isRoot && directory.getFileSystem().equals(FileSystems.getDefault())) {
            throw new IOException(
                    "a server that runs as root would grant root's rights to every caller: serve "
                            + directory
                            + " as another user, or on Linux with --enable-native-access="
                            + nativeModule());
        }
        var root = directory.toRealPath();
        if (!Files.isDirectory(root)) {
            throw new NotDirectoryException(root.toString());
        }
        requireChannels(root);
        return new NioStore(root, new AttributeReader(root, fileSystem), verifier);
    }

    private static void requireChannels(Path root) throws IOException {
        try {
            FileChannel.open(root, StandardOpenOption.READ).close();
        } catch (UnsupportedOperationException _) {
            throw new IOException(
                    "cannot serve " + root.toUri() + ": its file system has no file channels");
        } catch (IOException _) {
            // It has them, but not of directories.
        }
    }

    /**
     * Returns whether a file system is a zip file of the JDK. Its files get their new content when
     * the channel that wrote it is closed, and nobody can read it before.
     */
    static boolean isArchive(FileSystem fileSystem) {
        return fileSystem.provider().getScheme().equals(ARCHIVE_SCHEME);
    }

    /** Returns the name by which the java command knows the module that calls the kernel. */
    private static String nativeModule() {
        var module = Kernel.class.getModule();
        return module.isNamed() ? module.getName() : "ALL-UNNAMED";
    }

    @Override
    public FileId root() {
        return index.root().id();
    }

    @Override
    public Node node(FileId id, Mounts mounts, Origin origin) throws StoreException {
        return uses.begin(
                () -> {
                    var inode = Inode.of(id).orElseThrow(() -> new StoreException(Failure.STALE));
                    index.find(inode);
                    return new NioNode(this, inode, mounts);
                });
    }

    StoreUses uses() {
        return uses;
    }

    @Override
    public String description() {
        return "file handles use an index of names (java.nio.file)"
                + (readOnly ? ", read-only" : "");
    }

    @Override
    public int leasedFilesMax() {
        return 0;
    }

    @Override
    public int lockedFilesMax() {
        return Integer.MAX_VALUE;
    }

    @Override
    public boolean actsForCallers() {
        return false;
    }

    WriteVerifier verifier() {
        return verifier;
    }

    ConcurrentChanges<Inode> concurrentChanges() {
        return concurrentChanges;
    }

    AttributeReader reader() {
        return reader;
    }

    AttributeWriter writer() {
        return writer;
    }

    FileData data() {
        return data;
    }

    PathNames directories() {
        return directories;
    }

    Listings listings() {
        return listings;
    }

    boolean isReadOnly() {
        return readOnly;
    }

    /**
     * Checks that files of this store can be changed. A zip file cannot, even if its file system
     * would let it.
     *
     * @throws StoreException {@link Failure#ROFS} if not
     */
    void requireWritable() throws StoreException {
        Failure.ROFS.unless(!readOnly);
    }

    boolean isRoot(ResolvedFile file) {
        return file.inode().equals(index.root());
    }

    /** Runs an operation on a file while its path is valid. */
    <R> R at(NioNode node, Step<R> step) throws StoreException {
        return under(paths.readLock(), List.of(node), resolved -> step.run(resolved[0]));
    }

    /** Changes a file, or adds a name to a directory. */
    <R> R change(NioNode node, Storage storage, ChangeStep<R> step) throws StoreException {
        return change(paths.readLock(), List.of(node), storage, step);
    }

    /** Adds a name of a file to a directory. */
    <R> R change(NioNode directory, NioNode file, Storage storage, ChangeStep<R> step)
            throws StoreException {
        return change(paths.readLock(), List.of(directory, file), storage, step);
    }

    /** Removes a name, with the exclusive lock on paths. */
    <R> R changePaths(NioNode directory, Storage storage, ChangeStep<R> step)
            throws StoreException {
        return change(paths.writeLock(), List.of(directory), storage, step);
    }

    /** Moves a name, with the exclusive lock on paths. */
    <R> R changePaths(NioNode from, NioNode to, Storage storage, ChangeStep<R> step)
            throws StoreException {
        return change(paths.writeLock(), List.of(from, to), storage, step);
    }

    private <R> R change(Lock lock, List<NioNode> nodes, Storage storage, ChangeStep<R> step)
            throws StoreException {
        requireWritable();
        var first = nodes.getFirst().inode();
        var second = nodes.getLast().inode();
        try (var forcing = new Forcing(storage, forcesDirectories, openFiles);
                var span = concurrentChanges.begin(first);
                var other = second.equals(first) ? null : concurrentChanges.begin(second)) {
            var result =
                    under(
                            lock,
                            nodes,
                            resolved ->
                                    step.run(
                                            new Change(
                                                    this,
                                                    resolved[0],
                                                    span,
                                                    resolved[resolved.length - 1],
                                                    other == null ? span : other,
                                                    nodes.getFirst().mounts(),
                                                    forcing)));
            forcing.force();
            return result;
        }
    }

    private interface ResolvedStep<R> {
        R run(ResolvedFile[] files) throws StoreException;
    }

    /**
     * Runs an operation under a lock. The index, which may walk the whole tree, is filled before
     * locking.
     */
    private <R> R under(Lock lock, List<NioNode> nodes, ResolvedStep<R> step)
            throws StoreException {
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            for (var node : nodes) {
                index.find(node.inode());
            }
            lock.lock();
            try {
                var resolved = new ResolvedFile[nodes.size()];
                boolean found = true;
                for (int i = 0; i < resolved.length; i++) {
                    var file = resolve(nodes.get(i));
                    found &= file.isPresent();
                    resolved[i] = file.orElse(null);
                }
                if (found) {
                    return step.run(resolved);
                }
            } finally {
                lock.unlock();
            }
        }
        throw new StoreException(Failure.AGAIN);
    }

    /**
     * Finds a file. The caller holds the lock.
     *
     * @return empty if the index has dropped the file
     * @throws StoreException STALE if no known path leads to the file
     */
    private Optional<ResolvedFile> resolve(NioNode node) throws StoreException {
        while (true) {
            var names = index.names(node.inode());
            if (names.isEmpty()) {
                return Optional.empty();
            }
            try {
                var path = path(names.get());
                var attributes = reader.read(path);
                if (attributes.inode().equals(node.inode())) {
                    requireReachable(attributes, node.mounts());
                    return Optional.of(new ResolvedFile(path, attributes));
                }
            } catch (AccessDeniedException _) {
                throw new StoreException(Failure.ACCES);
            } catch (IOException _) {
                // The file is not at this path any more.
            }
            if (names.get().isEmpty() || !index.misplaced(node.inode(), names.get().getLast())) {
                throw new StoreException(Failure.STALE);
            }
        }
    }

    private static void requireReachable(Attributes file, Mounts mounts) throws StoreException {
        if (mounts == Mounts.STAY && file.isMounted()) {
            throw new StoreException(Failure.STALE);
        }
    }

    /** Returns the names from the root to a file; empty if no path to it is known. */
    Optional<List<FileName>> names(NioNode node) {
        return index.names(node.inode());
    }

    private Path path(List<FileName> names) {
        if (names.isEmpty()) {
            return root;
        }
        var texts = names.stream().map(FileName::toString).toArray(String[]::new);
        return root.resolve(root.getFileSystem().getPath("", texts));
    }

    /**
     * Returns the file of a name in a directory. The caller holds the lock.
     *
     * @throws StoreException NOENT if there is none, ACCES if it is on another file system that the
     *     caller must not see
     */
    ResolvedFile child(ResolvedFile directory, FileName name, Mounts mounts) throws StoreException {
        var path = directory.inside(name);
        try {
            var file = new ResolvedFile(path, reader.read(path));
            if (mounts == Mounts.STAY && file.attributes().isMounted()) {
                throw new StoreException(Failure.ACCES);
            }
            learn(directory, name, file);
            return file;
        } catch (IOException | RuntimeException failure) {
            throw Failures.ofChange(failure, path);
        }
    }

    /** Returns the file of a name, if the caller can see one. */
    Optional<ResolvedFile> findChild(ResolvedFile directory, FileName name, Mounts mounts) {
        try {
            return Optional.of(child(directory, name, mounts));
        } catch (StoreException _) {
            return Optional.empty();
        }
    }

    /** Returns the parent of a directory; the root is its own parent. */
    ResolvedFile parent(ResolvedFile directory) throws StoreException {
        if (isRoot(directory)) {
            return directory;
        }
        var path = directory.path().getParent();
        try {
            return new ResolvedFile(path, reader.read(path));
        } catch (IOException | RuntimeException failure) {
            throw Failures.ofChange(failure, path);
        }
    }

    void learn(ResolvedFile directory, FileName name, ResolvedFile file) {
        index.learn(directory.inode(), name, file.inode(), file.attributes().isDirectory());
    }

    /** Returns the current attributes; empty if the file is not at its path any more. */
    Optional<FileStatus> now(ResolvedFile file) {
        try {
            var attributes = reader.read(file.path());
            return attributes.inode().equals(file.inode())
                    ? Optional.of(attributes.status())
                    : Optional.empty();
        } catch (IOException _) {
            return Optional.empty();
        }
    }

    <T> Changed<T> changed(ResolvedFile file, ConcurrentChanges<Inode>.Span span, T value) {
        return new Changed<>(
                span.isAlone() ? Optional.of(file.attributes().status()) : Optional.empty(),
                now(file),
                value);
    }

    /** Lists a directory for the index, while its path is valid. */
    private void walk(Inode directory, NodeIndex.Sink<Inode> sink) throws StoreException {
        var lock = paths.readLock();
        lock.lock();
        try {
            var at = resolve(new NioNode(this, directory, Mounts.CROSS));
            if (at.isPresent() && at.get().attributes().isDirectory()) {
                walk(at.get(), sink);
            }
        } finally {
            lock.unlock();
        }
    }

    private void walk(ResolvedFile directory, NodeIndex.Sink<Inode> sink) throws StoreException {
        try (var stream = Files.newDirectoryStream(directory.path())) {
            for (var path : stream) {
                var text = Listings.nameOf(path.getFileName().toString());
                var child = findForIndex(directory, text);
                if (child.isPresent()
                        && !sink.add(
                                FileName.of(text),
                                child.get().inode(),
                                child.get().isDirectory())) {
                    return;
                }
            }
        } catch (DirectoryIteratorException broken) {
            throw Failures.ofChange(broken.getCause(), directory.path());
        } catch (IOException | RuntimeException hidden) {
            throw Failures.ofChange(hidden, directory.path());
        }
    }

    private Optional<Attributes> findForIndex(ResolvedFile directory, String text) {
        try {
            return Optional.of(reader.read(directory.inside(FileName.of(text))));
        } catch (IOException | StoreException | IllegalArgumentException _) {
            // The file was removed meanwhile, or has a name that clients cannot request.
            return Optional.empty();
        }
    }

    @Override
    public void close() {
        uses.close();
    }

    @Override
    public CompletionStage<Void> closed() {
        return uses.closed();
    }

    private void release() {
        index.close();
        openFiles.close();
    }
}
