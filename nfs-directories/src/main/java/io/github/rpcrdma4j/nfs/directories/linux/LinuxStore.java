package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.linux.Errno;
import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.linux.Statx;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.directories.common.ConcurrentChanges;
import io.github.rpcrdma4j.nfs.directories.common.StoreUses;
import io.github.rpcrdma4j.nfs.directories.linux.FileThreads.Call;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.Origin;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;

/**
 * The files of one export, accessed through descriptors. Thread-safe.
 *
 * <p>Tests: {@code LinuxStoreContractTest}.
 */
final class LinuxStore implements FileStore {
    /** The most attempts to open a name while other processes change the tree. */
    private static final int ATTEMPTS_MAX = 64;

    static final int OPEN_NAME = Kernel.O_PATH | Kernel.noFollow();

    static final int BENEATH =
            Kernel.RESOLVE_BENEATH | Kernel.RESOLVE_NO_SYMLINKS | Kernel.RESOLVE_NO_MAGICLINKS;

    private final LinuxStores all;
    private final WriteVerifier verifier;
    private final FileThreads threads;
    private final Syncs syncs;
    private final Closings closings;
    private final MountedFileSystems mounts;
    private final Crossings crossings;
    private final LinuxNode root;
    private final Ancestors ancestors;

    /** Whether the root is the root of a private mount, which the kernel does not leave upwards. */
    private final boolean rootIsOwnMount;

    /** Whether the export serves file systems that are mounted below the root. */
    private final boolean crosses;

    /** Finds files by name; null if the kernel opens them by handle. */
    private final IndexedFiles index;

    private final ChangeLocks locks;
    private final ConcurrentChanges<FileId> concurrentChanges = new ConcurrentChanges<>();
    private final LinuxCalls operations;
    private final StoreUses uses = new StoreUses(this::release);

    /**
     * @param root its reference belongs to this store; the scratch must hold its attributes
     */
    LinuxStore(
            LinuxStores all,
            WriteVerifier verifier,
            FileThreads threads,
            Closings closings,
            MountedFileSystems mounts,
            LinuxNode root,
            Scratch scratch,
            boolean rootIsOwnMount,
            boolean crosses) {
        this.all = all;
        this.verifier = verifier;
        this.threads = threads;
        this.closings = closings;
        this.locks = new ChangeLocks(threads::hangsAt);
        this.mounts = mounts;
        this.crossings = new Crossings(this, mounts);
        this.root = root;
        this.ancestors = new Ancestors(this, root, scratch);
        this.rootIsOwnMount = rootIsOwnMount;
        this.crosses = crosses;
        this.index = root.mounted.descriptor() < 0 ? new IndexedFiles(root) : null;
        this.syncs = new Syncs(this, root);
        this.operations = LinuxCalls.of(this);
    }

    LinuxCalls operations() {
        return operations;
    }

    FileThreads threads() {
        return threads;
    }

    Syncs syncs() {
        return syncs;
    }

    Closings closings() {
        return closings;
    }

    ChangeLocks locks() {
        return locks;
    }

    Crossings crossings() {
        return crossings;
    }

    ConcurrentChanges<FileId> concurrentChanges() {
        return concurrentChanges;
    }

    DataFiles data() {
        return all.data();
    }

    LinuxStores all() {
        return all;
    }

    WriteVerifier verifier() {
        return verifier;
    }

    @Override
    public FileId root() {
        return root.id;
    }

    /** Returns where a file is now; empty if that is unknown. */
    Optional<PathName> path(LinuxNode node) {
        return FilePaths.of(node, root, rootIsOwnMount);
    }

    /** Returns the inode number of the root. */
    long rootNumber() {
        return ancestors.rootNumber();
    }

    boolean isRoot(LinuxNode node) {
        return node.id.equals(root.id);
    }

    @Override
    public Node node(FileId id, Mounts mounts, Origin origin) throws StoreException {
        return uses.begin(() -> new Reference(this, found(id, mounts), mounts, origin));
    }

    /** Returns what lives as long as it is used. */
    StoreUses uses() {
        return uses;
    }

    private LinuxNode found(FileId id, Mounts mounts) throws StoreException {
        var node = find(id);
        if (node == null) {
            node = threads.runWaiting(id, call -> open(call, id));
        }
        if (mounts == Mounts.STAY && node.mounted != root.mounted) {
            node.release();
            throw new StoreException(Failure.STALE);
        }
        return node;
    }

    private LinuxNode find(FileId id) {
        if (id.equals(root.id)) {
            return root.acquire() ? root : null;
        }
        return all.nodes().find(this, id);
    }

    /** Opens the file of an id, with a reference for the caller. */
    LinuxNode open(Call call, FileId id) throws StoreException {
        var mounted = Handles.isWellFormed(id) ? mounted(Handles.key(id)) : null;
        if (mounted == null) {
            throw new StoreException(Failure.STALE);
        }
        if (index != null && mounted == root.mounted) {
            return keep(call, id, mounted, index.open(call.scratch, id));
        }
        if (!Handles.isOfKernel(id)) {
            throw new StoreException(Failure.STALE);
        }
        Handles.put(call.scratch, id);
        int descriptor =
                opened(
                        () ->
                                Kernel.openByHandle(
                                        call.scratch, mounted.descriptor(), Kernel.O_PATH));
        if (descriptor < 0) {
            // A handle that this file system cannot decode belongs to another one.
            throw descriptor == -Errno.INVAL
                    ? new StoreException(Failure.STALE)
                    : ErrnoFailures.exception(-descriptor);
        }
        return keep(call, id, mounted, descriptor);
    }

    /** Returns the file system with that key; null if the export does not contain it. */
    private MountedFileSystem mounted(long key) throws StoreException {
        var known = mounts.find(key);
        return known != null || rootIsOwnMount || !crosses ? known : crossings.find(root, key);
    }

    /** Makes and caches the node of an open file. */
    private LinuxNode keep(Call call, FileId id, MountedFileSystem mounted, int descriptor)
            throws StoreException {
        int result = Kernel.statx(call.scratch, descriptor);
        if (result < 0 || Statx.links(call.scratch) == 0) {
            Kernel.close(call.scratch, descriptor);
            throw result < 0 ? ErrnoFailures.exception(-result) : new StoreException(Failure.STALE);
        }
        var node = new LinuxNode(id, mounted, LinuxStatuses.type(call.scratch), descriptor);
        return all.nodes().keep(this, node);
    }

    /** Opens a descriptor. */
    interface Opening {
        /**
         * @return a descriptor, or a negative error number
         */
        int open();
    }

    /** Opens a descriptor. If there are too many, closes unused ones and tries again. */
    int opened(Opening opening) {
        int descriptor = opening.open();
        if (ErrnoFailures.isOutOfDescriptors(descriptor)) {
            all.shrink();
            descriptor = opening.open();
        }
        return descriptor;
    }

    /**
     * Returns the file of a name in a directory, with a reference for the caller. Checks no rights.
     * Afterwards the scratch holds the attributes of the file.
     *
     * @param name may be {@code .} or {@code ..}
     * @throws Crossing if the operation may hang there, and does not run at the place of the mount
     */
    LinuxNode child(Call call, LinuxNode directory, FileName name, Mounts wanted)
            throws StoreException {
        if (name.isDots()) {
            var found = name.equals(FileName.SELF) ? self(directory) : parent(call, directory);
            try {
                found.stat(call.scratch);
            } catch (StoreException gone) {
                found.release();
                throw gone;
            }
            return found;
        }
        Names.require(name, directory.mounted.nameMax());
        var child = node(call, openChild(call, directory, name, wanted));
        crossings.learn(directory, name, child);
        learn(directory, name, child);
        return child;
    }

    private static LinuxNode self(LinuxNode directory) {
        directory.acquire();
        return directory;
    }

    /** Opens the file of a name without following links. */
    private int openChild(Call call, LinuxNode directory, FileName name, Mounts wanted)
            throws StoreException {
        for (int attempt = 1; ; attempt++) {
            int result = openChild(call, directory, name, Kernel.RESOLVE_NO_XDEV);
            if (result == -Errno.XDEV && wanted == Mounts.CROSS) {
                result =
                        crossings.open(
                                call, directory, name, () -> openChild(call, directory, name, 0));
            }
            if (result == -Errno.AGAIN) {
                call.mustWait();
                if (attempt < ATTEMPTS_MAX) {
                    continue;
                }
            }
            // A file system that the caller must not see is mounted there.
            return ErrnoFailures.check(result == -Errno.XDEV ? -Errno.ACCES : result);
        }
    }

    private int openChild(Call call, LinuxNode directory, FileName name, int resolve) {
        var scratch = call.scratch;
        long path = scratch.name(Scratch.NAME, name.segment());
        int how = BENEATH | resolve | (call.mayWait() ? 0 : Kernel.RESOLVE_CACHED);
        return opened(() -> Kernel.openat2(scratch, directory.descriptor, path, OPEN_NAME, 0, how));
    }

    /** Returns the node of a descriptor that was opened by name. The node owns the descriptor. */
    LinuxNode node(Call call, int descriptor) throws StoreException {
        boolean kept = false;
        try {
            ErrnoFailures.check(Kernel.statx(call.scratch, descriptor));
            var mounted = mounts.of(call, descriptor);
            if (Statx.links(call.scratch) == 0) {
                throw new StoreException(Failure.NOENT);
            }
            var id = Handles.of(call.scratch, descriptor, mounted);
            var known = find(id);
            if (known != null) {
                return known;
            }
            var node = new LinuxNode(id, mounted, LinuxStatuses.type(call.scratch), descriptor);
            kept = true;
            return all.nodes().keep(this, node);
        } finally {
            if (!kept) {
                Kernel.close(call.scratch, descriptor);
            }
        }
    }

    /** Returns the parent of a directory; the root is its own parent. */
    LinuxNode parent(Call call, LinuxNode directory) throws StoreException {
        if (isRoot(directory)) {
            return self(directory);
        }
        call.mustWait();
        var parent = node(call, openParent(call, directory));
        try {
            crossings.learn(directory, FileName.PARENT, parent);
            if (!rootIsOwnMount && !ancestors.isBelowRoot(call, parent)) {
                throw new StoreException(Failure.NOENT);
            }
            return parent;
        } catch (StoreException | RuntimeException failure) {
            parent.release();
            throw failure;
        }
    }

    private int openParent(Call call, LinuxNode directory) throws StoreException {
        var scratch = call.scratch;
        int result =
                opened(
                        () ->
                                Kernel.openat2(
                                        scratch,
                                        directory.descriptor,
                                        scratch.address + Scratch.DOT_DOT,
                                        OPEN_NAME | Kernel.directory(),
                                        0,
                                        Kernel.RESOLVE_NO_XDEV));
        return result == -Errno.XDEV
                ? crossings.open(
                        call,
                        directory,
                        FileName.PARENT,
                        () -> ancestors.openParent(scratch, directory.descriptor))
                : ErrnoFailures.check(result);
    }

    /** Returns the id of an open directory, whose mount the scratch must hold. */
    FileId idOf(Call call, int directory) throws StoreException {
        var mounted = mounts.of(call, directory);
        if (mounted.descriptor() < 0) {
            ErrnoFailures.check(Kernel.statx(call.scratch, directory));
        }
        return Handles.of(call.scratch, directory, mounted);
    }

    @Override
    public FileId above(FileId directory, Predicate<FileId> isSought) throws StoreException {
        var node = found(directory, Mounts.CROSS);
        try {
            return threads.runWaiting(directory, call -> ancestors.find(call, node, isSought));
        } finally {
            node.release();
        }
    }

    @Override
    public Optional<Boolean> holds(FileId directory) throws StoreException {
        boolean knows =
                rootIsOwnMount
                        && index == null
                        && Handles.isOfKernel(directory)
                        && Handles.key(directory) == root.mounted.key();
        return knows
                ? Optional.of(
                        threads.runWaiting(directory, call -> ancestors.holds(call, directory)))
                : Optional.empty();
    }

    /** Records that a directory contains a file of that name. */
    void learn(LinuxNode directory, FileName name, LinuxNode file) {
        if (index != null) {
            index.learn(directory.id, name, file);
        }
    }

    /**
     * Records that a file lost a name, and closes its descriptors in case this was its last name.
     */
    void forget(Scratch scratch, LinuxNode directory, FileName name, LinuxNode file) {
        boolean known = Kernel.statx(scratch, file.descriptor) == 0;
        boolean wasLast = file.isDirectory() || known && Statx.links(scratch) == 0;
        data().forget(this, file.id, wasLast);
        all.nodes().drop(this, file.id);
        if (index != null) {
            index.forget(directory.id, name, file.id, wasLast);
        }
    }

    /** Records that a file moved to another name or directory. */
    void moved(LinuxNode from, FileName name, LinuxNode to, FileName newName, LinuxNode file) {
        if (index != null) {
            index.learn(to.id, newName, file);
            if (!file.isDirectory()) {
                index.forget(from.id, name, file.id, false);
            }
        }
    }

    @Override
    public String description() {
        return index == null
                ? "file handles are those of the kernel"
                : "files are found by an index of names, "
                        + (all.mayOpenHandles()
                                ? "because their file system has no lasting handles"
                                : "for lack of CAP_DAC_READ_SEARCH")
                        + ": after a restart, a first use searches the export (docs/serving.md)";
    }

    @Override
    public int leasedFilesMax() {
        return all.leasesMax();
    }

    @Override
    public int lockedFilesMax() {
        return all.locksMax();
    }

    @Override
    public boolean actsForCallers() {
        return threads.actsForCallers();
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
        data().forgetAll(this);
        all.nodes().dropAll(this);
        threads.close();
        closings.close();
        if (index != null) {
            index.close();
        }
        all.closed();
        root.release();
        var scratch = Scratch.acquire();
        mounts.close(scratch);
        scratch.release();
    }
}
