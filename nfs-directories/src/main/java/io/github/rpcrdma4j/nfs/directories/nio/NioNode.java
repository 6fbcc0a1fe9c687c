package io.github.rpcrdma4j.nfs.directories.nio;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.store.AttributeChanges;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Creation;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.FileStore.Mounts;
import io.github.rpcrdma4j.nfs.store.FileSystemFeatures;
import io.github.rpcrdma4j.nfs.store.FileSystemLimits;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.Permission;
import io.github.rpcrdma4j.nfs.store.SpaceStatus;
import io.github.rpcrdma4j.nfs.store.SpecialFile;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.Time;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A file of a {@link NioStore}. It holds no resources: each operation finds the path of the file
 * again. The rights of callers are ignored: the process acts with its own rights.
 *
 * <p>Tests: {@code NioStoreContractTest}, {@code NioStoreTest}.
 */
record NioNode(NioStore store, Inode inode, Mounts mounts, AtomicBoolean isClosed) implements Node {
    /**
     * The assumed size of a file, from which the number of free files follows; java.nio.file
     * reports none.
     */
    private static final long BYTES_PER_FILE = 16 << 10;

    /** The usual unit of storage; java.nio.file reports none. */
    private static final int BLOCK_BYTES = 4096;

    /** A number of links per file that most file systems support. */
    private static final int LINKS_MAX = 32_000;

    NioNode(NioStore store, Inode inode, Mounts mounts) {
        this(store, inode, mounts, new AtomicBoolean());
    }

    @Override
    public FileId id() {
        return inode.id();
    }

    @Override
    public Optional<PathName> path() {
        try {
            return store.at(this, _ -> store.names(this)).map(NioNode::path);
        } catch (StoreException _) {
            return Optional.empty();
        }
    }

    private static PathName path(List<FileName> names) {
        var path = PathName.of("/");
        for (var each : names) {
            path = path.resolve(each);
        }
        return path;
    }

    @Override
    public FileStatus status() throws StoreException {
        return store.at(this, file -> file.attributes().status());
    }

    @Override
    public int access(Caller caller, int wanted) throws StoreException {
        return store.at(this, file -> wanted & granted(file));
    }

    private int granted(ResolvedFile file) {
        var path = file.path();
        // The check would follow a link, which has no permissions of its own.
        if (store.reader().isDefault() && !file.attributes().isSymbolicLink()) {
            return (Files.isReadable(path) ? READ : 0)
                    | (Files.isWritable(path) ? WRITE : 0)
                    | (Files.isExecutable(path) ? EXECUTE : 0);
        }
        return store.isReadOnly() ? READ | EXECUTE : READ | WRITE | EXECUTE;
    }

    @Override
    public void require(Caller caller, Permission permission) throws StoreException {
        // Where an owner passes, the use itself meets what the process may not do.
        if (!permission.ownerPasses() && !permission.isIn(access(caller, permission.asked()))) {
            throw new StoreException(permission.refusal());
        }
    }

    @Override
    public void requireNameChange(Caller caller, FileName name) throws StoreException {
        require(caller, Permission.NAMES);
    }

    @Override
    public Found lookup(Caller caller, FileName name) throws StoreException {
        return store.at(
                this,
                directory -> {
                    directory.requireDirectory();
                    var found = find(directory, name).attributes();
                    return new Found(
                            found.inode().id(), found.status(), directory.attributes().status());
                });
    }

    private ResolvedFile find(ResolvedFile directory, FileName name) throws StoreException {
        if (name.equals(FileName.SELF)) {
            return directory;
        }
        return name.equals(FileName.PARENT)
                ? store.parent(directory)
                : store.child(directory, name, mounts);
    }

    @Override
    public FileStatus list(Caller caller, long cookie, boolean details, EntrySink sink)
            throws StoreException {
        return store.at(
                this,
                directory -> {
                    directory.requireDirectory();
                    if (cookie < 0) {
                        throw new StoreException(Failure.BAD_COOKIE);
                    }
                    try {
                        list(directory, cookie, details, sink);
                    } catch (IOException | RuntimeException failure) {
                        throw Failures.ofChange(failure, directory.path());
                    }
                    return store.now(directory).orElse(directory.attributes().status());
                });
    }

    private void list(ResolvedFile directory, long cookie, boolean details, EntrySink sink)
            throws IOException, StoreException {
        // Without the right to search, a caller gets no attributes of the files.
        boolean opens = details && (granted(directory) & EXECUTE) != 0;
        if (cookie < Listings.SELF_COOKIE
                && !add(sink, FileName.SELF, Listings.SELF_COOKIE, directory, opens)) {
            return;
        }
        if (cookie < Listings.PARENT_COOKIE) {
            var parent = store.parent(directory);
            if (!add(sink, FileName.PARENT, Listings.PARENT_COOKIE, parent, opens)) {
                return;
            }
        }
        var listing = store.listings().of(directory, cookie > Listings.PARENT_COOKIE);
        for (int i = listing.after(cookie); i < listing.names().length; i++) {
            var name = listing.names()[i];
            // Files that were removed since the directory was read are left out.
            var file = store.findChild(directory, name, Mounts.CROSS);
            if (file.isPresent()) {
                boolean isSeen = mounts == Mounts.CROSS || !file.get().attributes().isMounted();
                if (!add(sink, name, listing.cookies()[i], file.get(), opens && isSeen)) {
                    return;
                }
            }
        }
        sink.end();
    }

    private static boolean add(
            EntrySink sink, FileName name, long cookie, ResolvedFile file, boolean opens) {
        return sink.add(
                name,
                file.attributes().status().number(),
                cookie,
                opens ? Optional.of(file.attributes().entry()) : Optional.empty());
    }

    @Override
    public Changed<Made> create(Caller caller, FileName name, Creation how, Storage storage)
            throws StoreException {
        return store.change(this, storage, change -> store.directories().create(change, name, how));
    }

    @Override
    public Changed<Made> makeDirectory(
            Caller caller, FileName name, AttributeChanges attributes, Storage storage)
            throws StoreException {
        return store.change(
                this,
                storage,
                change -> store.directories().makeDirectory(change, name, attributes));
    }

    @Override
    public Changed<Made> makeSymbolicLink(
            Caller caller, FileName name, byte[] text, AttributeChanges attributes, Storage storage)
            throws StoreException {
        return store.change(
                this, storage, change -> store.directories().makeSymbolicLink(change, name, text));
    }

    /** Always fails, because java.nio.file cannot make devices, sockets or FIFOs. */
    @Override
    public Changed<Made> makeSpecialFile(
            Caller caller,
            FileName name,
            SpecialFile file,
            AttributeChanges attributes,
            Storage storage)
            throws StoreException {
        store.requireWritable();
        return store.at(
                this,
                directory -> {
                    directory.requireDirectory();
                    directory.inside(name);
                    throw new StoreException(Failure.NOTSUPP);
                });
    }

    @Override
    public Changed<Void> remove(Caller caller, FileName name, Storage storage)
            throws StoreException {
        return store.changePaths(
                this, storage, change -> store.directories().remove(change, name, false));
    }

    @Override
    public Changed<Void> removeDirectory(Caller caller, FileName name, Storage storage)
            throws StoreException {
        return store.changePaths(
                this, storage, change -> store.directories().remove(change, name, true));
    }

    @Override
    public Changed<Changed<Void>> rename(
            Caller caller, FileName name, Node target, FileName newName, Storage storage)
            throws StoreException {
        return store.changePaths(
                this,
                ofThisStore(target),
                storage,
                change -> store.directories().rename(change, name, newName));
    }

    @Override
    public Changed<FileStatus> link(Caller caller, Node file, FileName name, Storage storage)
            throws StoreException {
        return store.change(
                this, ofThisStore(file), storage, change -> store.directories().link(change, name));
    }

    private NioNode ofThisStore(Node other) throws StoreException {
        if (other instanceof NioNode node && node.store == store) {
            return node;
        }
        throw new StoreException(Failure.XDEV);
    }

    @Override
    public Changed<Void> setAttributes(
            Caller caller,
            Basis basis,
            AttributeChanges changes,
            Optional<Time> guard,
            Storage storage)
            throws StoreException {
        return store.change(
                this,
                storage,
                change -> {
                    var changed = change.file().attributes().status().changed();
                    if (guard.isPresent() && !guard.get().equals(changed)) {
                        throw new StoreException(Failure.NOT_SYNC);
                    }
                    store.writer().apply(change.file(), changes);
                    change.forcing().file(change.file());
                    return change.done(null);
                });
    }

    @Override
    public byte[] readLink(Caller caller) throws StoreException {
        return store.at(
                this,
                link -> {
                    if (!link.attributes().isSymbolicLink()) {
                        throw new StoreException(Failure.INVAL);
                    }
                    try {
                        return Files.readSymbolicLink(link.path())
                                .toString()
                                .getBytes(StandardCharsets.UTF_8);
                    } catch (IOException | RuntimeException failure) {
                        throw Failures.ofChange(failure, link.path());
                    }
                });
    }

    @Override
    public ReadBytes read(Caller caller, long offset, MemorySegment target) throws StoreException {
        return store.data().read(this, offset, target);
    }

    @Override
    public Changed<Written> write(
            Caller caller, long offset, MemorySegment source, Stability stability, Storage storage)
            throws StoreException {
        return store.data().write(this, offset, source, stability, storage);
    }

    @Override
    public Changed<Long> commit(Caller caller, Storage storage) throws StoreException {
        return store.data().commit(this, storage);
    }

    @Override
    public Sought seek(Caller caller, long offset, Content wanted) throws StoreException {
        return store.at(
                this,
                file -> {
                    file.requireRegular();
                    long size = file.attributes().status().size();
                    if (offset >= size) {
                        throw new StoreException(Failure.NXIO);
                    }
                    return switch (wanted) {
                        case DATA -> new Sought(offset, false);
                        case HOLE -> new Sought(size, true);
                    };
                });
    }

    @Override
    public FileSystemFeatures features() {
        return new FileSystemFeatures(false, false, false, BLOCK_BYTES, FileSystemLimits.LINUX);
    }

    @Override
    public boolean isReadOnly() {
        return store.isReadOnly();
    }

    @Override
    public SpaceStatus space() throws StoreException {
        return store.at(
                this,
                file -> {
                    // The operating system would follow a link.
                    boolean isLink = file.attributes().isSymbolicLink();
                    var path = isLink ? file.path().getParent() : file.path();
                    try {
                        var room = Files.getFileStore(path);
                        long total = room.getTotalSpace();
                        long free = room.getUnallocatedSpace();
                        long available = room.getUsableSpace();
                        return new SpaceStatus(
                                total,
                                free,
                                available,
                                total / BYTES_PER_FILE,
                                free / BYTES_PER_FILE,
                                available / BYTES_PER_FILE,
                                FileName.BYTES_MAX,
                                LINKS_MAX);
                    } catch (IOException | RuntimeException failure) {
                        throw Failures.ofChange(failure, path);
                    }
                });
    }

    @Override
    public void close() {
        if (!isClosed.getAndSet(true)) {
            store.uses().end();
        }
    }
}
