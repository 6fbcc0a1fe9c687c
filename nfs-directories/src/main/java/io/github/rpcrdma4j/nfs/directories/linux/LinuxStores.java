package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.linux.Errno;
import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.KernelSetting;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.linux.SystemCalls;
import io.github.rpcrdma4j.linux.UnixPaths;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * The stores of a server on Linux and their shared resources, above all the descriptors of the
 * process. Thread-safe.
 *
 * <p>Tests: {@code DescriptorsTest}, {@code LinuxLocksTest}.
 */
public final class LinuxStores {
    /** The exit status of a process that ended because a thread could not restore its identity. */
    static final int EXIT_IDENTITY = 70;

    private static final long NODES_SHARE = 4;
    private static final long DATA_SHARE = 8;
    private static final int NODES_MAX = 32_768;
    private static final int DATA_MAX = 4096;
    private static final long LOCKS_SHARE = 4;
    private static final int LOCKS_MAX = 65_536;
    private static final int LEAST = 2;

    /** How many files the processes of a user may watch. */
    private static final Path WATCHES = Path.of("/proc/sys/fs/inotify/max_user_watches");

    /** What Linux allows before 5.11. */
    private static final int USUAL_WATCHES = 8192;

    private static final int OPEN_TREE_CLONE = 1;
    private static final int OPEN_TREE_CLOEXEC = 02000000;
    private static final long MOUNT_ATTR_NOSUID = 0x2;
    private static final long MOUNT_ATTR_NODEV = 0x4;
    private static final long MOUNT_ATTR_NOSYMFOLLOW = 0x200000;
    private static final int MOUNT_ATTR_BYTES = 32;

    private static final System.Logger LOG = System.getLogger(LinuxStores.class.getName());
    private static final FailureLog FAILURES = new FailureLog(LOG);
    private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** A node is closed between half a minute and a minute after its last use. */
    private static final int CHECKS_FOR_NODES = 120;

    /** What happens next in a change. */
    enum Step {
        /** A new file has its name, and gets everything else. */
        NAMED,
        /** A file goes to another directory. */
        MOVE,
        /** A whole file system is forced to storage. */
        SYNC_ALL
    }

    private final Identity identity;
    private final NodeCache nodes;
    private final DataFiles data;
    private final LeaseWatch leases = new LeaseWatch();

    private final Consumer<Step> steps;
    private final int locksMax;
    private final int leasesMax;

    /** The files with locks that may still be opened. */
    private final Semaphore locks;

    /** The files that may still be leased. */
    private final Semaphore leased;

    /**
     * Whether a thread closes idle descriptors. It and {@link #open} are guarded by the monitor of
     * the nodes.
     */
    private boolean watched;

    /** The number of open stores. */
    private int open;

    /**
     * @param nodesMax the most descriptors of files to keep between calls
     * @param dataMax the most descriptors for data to keep between calls
     * @param locksMax the most files with locks
     * @param force forces data to storage
     */
    LinuxStores(int nodesMax, int dataMax, int locksMax, DataFiles.Force force) {
        this(nodesMax, dataMax, locksMax, force, _ -> {});
    }

    /**
     * As above.
     *
     * @param steps learns what happens next. Tests hold it up, or exchange names then
     */
    LinuxStores(
            int nodesMax, int dataMax, int locksMax, DataFiles.Force force, Consumer<Step> steps) {
        this.steps = steps;
        this.identity = Identity.ofProcess();
        this.nodes = new NodeCache(nodesMax);
        this.data = new DataFiles(dataMax, force);
        this.locksMax = locksMax;
        this.leasesMax = leasesMax(locksMax, KernelSetting.read(WATCHES));
        this.locks = new Semaphore(locksMax);
        this.leased = new Semaphore(leasesMax);
    }

    /** Returns stores that share what this process may have open. */
    public static LinuxStores ofProcess() {
        var scratch = Scratch.acquire();
        long limit = Kernel.descriptorsMax(scratch);
        scratch.release();
        return new LinuxStores(
                share(limit, NODES_SHARE, NODES_MAX),
                share(limit, DATA_SHARE, DATA_MAX),
                share(limit, LOCKS_SHARE, LOCKS_MAX),
                DataFiles.Force.KERNEL);
    }

    private static int share(long limit, long part, int max) {
        // An unlimited value is the greatest unsigned number, which is negative here.
        return Math.clamp(limit < 0 ? max : limit / part, LEAST, max);
    }

    /** Returns why this machine cannot have such stores; empty if it can. */
    public static Optional<String> missing() {
        return SystemCalls.missing();
    }

    /**
     * Opens the store of a directory.
     *
     * @param crosses whether to serve file systems that are mounted below it
     * @param fileSystem the id of its file system for clients
     * @param verifier its write verifier
     * @throws IOException if it cannot be opened; the message is one line
     */
    public FileStore open(Path directory, boolean crosses, long fileSystem, WriteVerifier verifier)
            throws IOException {
        if (identity.grantsOwnRightsToCallers()) {
            throw new IOException(
                    "this process would use its own rights for every caller: grant it CAP_SETUID,"
                            + " CAP_SETGID and CAP_CHOWN, or serve "
                            + directory
                            + " as a user without capabilities");
        }
        var scratch = new Scratch();
        int tree = crosses || !identity.mayAct() ? -1 : openTree(scratch, directory);
        int descriptor = tree >= 0 ? tree : openPath(scratch, directory);
        if (descriptor < 0) {
            throw new IOException(
                    "cannot serve " + directory + ": " + ErrnoFailures.of(-descriptor).name());
        }
        var last = directory.getFileName();
        var name = last == null ? "root" : last.toString();
        var threads = FileThreads.watched(name, identity);
        var closings = data.closings(FileThreads.watched(name + "-closing", identity));
        var mounts = new MountedFileSystems(identity, fileSystem);
        try {
            var mounted = mounts.addRoot(scratch, descriptor);
            ErrnoFailures.check(Kernel.statx(scratch, descriptor));
            // The tree of a regular file can be opened, too.
            requireDirectory(LinuxStatuses.type(scratch));
            var id = Handles.of(scratch, descriptor, mounted);
            var root = new LinuxNode(id, mounted, LinuxStatuses.type(scratch), descriptor);
            var store =
                    new LinuxStore(
                            this, verifier, threads, closings, mounts, root, scratch, tree >= 0,
                            crosses);
            opened();
            return store;
        } catch (StoreException failure) {
            threads.close();
            closings.close();
            Kernel.close(scratch, descriptor);
            mounts.close(scratch);
            throw new IOException(
                    "cannot serve " + directory + ": " + failure.failure().name(), failure);
        }
    }

    private static void requireDirectory(FileType type) throws StoreException {
        if (type != FileType.DIRECTORY) {
            throw new StoreException(Failure.NOTDIR);
        }
    }

    private static int openPath(Scratch scratch, Path directory) {
        byte[] path = UnixPaths.bytes(directory.toAbsolutePath());
        return path.length > Scratch.TEXT_MAX
                ? -Errno.NAMETOOLONG
                : Kernel.openat(
                        scratch,
                        Kernel.AT_FDCWD,
                        scratch.text(Scratch.TEXT, path),
                        Kernel.O_PATH | Kernel.directory(),
                        0);
    }

    /**
     * Makes a private mount of the directory, which no other process sees. It contains no mounts
     * below the directory, and later mounts do not change it. Set-user-ID, devices and symbolic
     * links have no effect in it.
     */
    private static int openTree(Scratch scratch, Path directory) {
        byte[] path = UnixPaths.bytes(directory.toAbsolutePath());
        if (path.length > Scratch.TEXT_MAX) {
            return -Errno.NAMETOOLONG;
        }
        int tree =
                Kernel.openTree(
                        scratch,
                        Kernel.AT_FDCWD,
                        scratch.text(Scratch.TEXT, path),
                        OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
        if (tree < 0) {
            return tree;
        }
        scratch.memory.asSlice(Scratch.TIMES, MOUNT_ATTR_BYTES).fill((byte) 0);
        scratch.number(
                Scratch.TIMES, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOSYMFOLLOW);
        int result =
                Kernel.mountSetattr(
                        scratch, tree, scratch.address + Scratch.TIMES, MOUNT_ATTR_BYTES);
        if (result < 0) {
            Kernel.close(scratch, tree);
            return result;
        }
        return tree;
    }

    NodeCache nodes() {
        return nodes;
    }

    DataFiles data() {
        return data;
    }

    /**
     * Returns how many leases there may be.
     *
     * @param watches what the kernel says of them
     */
    static int leasesMax(int locksMax, OptionalLong watches) {
        return Math.clamp(watches.orElse(USUAL_WATCHES), 0, locksMax) / 2;
    }

    /** Returns whether this process may open files by the handles of the kernel. */
    boolean mayOpenHandles() {
        return identity.mayOpenHandles();
    }

    /**
     * Returns how many files may have kernel leases. They take a descriptor each, as locks do, and
     * a watch, which other processes of the user need too.
     */
    int leasesMax() {
        return leasesMax;
    }

    /** Happens before a step. */
    void at(Step step) {
        steps.accept(step);
    }

    LeaseWatch leases() {
        return leases;
    }

    int locksMax() {
        return locksMax;
    }

    /**
     * Counts one more file with locks.
     *
     * @throws StoreException AGAIN if there are too many
     */
    void reserveLocks() throws StoreException {
        if (!locks.tryAcquire()) {
            throw new StoreException(Failure.AGAIN, "too many files are open for locks");
        }
    }

    void releaseLocks() {
        locks.release();
    }

    /**
     * Counts one more lease.
     *
     * @throws StoreException AGAIN if there are too many
     */
    void reserveLease() throws StoreException {
        if (!leased.tryAcquire()) {
            throw new StoreException(Failure.AGAIN, "too many files have leases");
        }
    }

    void releaseLease() {
        leased.release();
    }

    /**
     * Counts an opened store, and starts the thread that closes idle descriptors if it does not
     * run.
     */
    private void opened() {
        synchronized (nodes) {
            open++;
            if (!watched) {
                Thread.ofPlatform().daemon().name("nfs-files-idle").start(this::closeIdle);
                watched = true;
            }
        }
    }

    /** Counts a closed store. */
    void closed() {
        synchronized (nodes) {
            open--;
        }
    }

    private void closeIdle() {
        for (int checks = 1; ; checks++) {
            LockSupport.parkNanos(CHECK_NANOS);
            try {
                data.closeIdle();
                if (checks % CHECKS_FOR_NODES == 0) {
                    nodes.dropUnused();
                }
            } catch (RuntimeException | Error broken) {
                FAILURES.report("could not close idle descriptors; will try again", broken);
            }
            synchronized (nodes) {
                if (open == 0 && data.size() == 0 && nodes.size() == 0) {
                    watched = false;
                    return;
                }
            }
        }
    }

    /**
     * Closes the descriptors of a file that a local process removed, as soon as no operation uses
     * them: until then it keeps its storage, and counts for its owner.
     */
    void forgetGone(LinuxStore store, LinuxNode file) {
        if (nodes.drop(store, file.id)) {
            data.forget(store, file.id, true);
        }
    }

    /** Closes all unused descriptors, to free descriptors for other files. */
    void shrink() {
        data.shrink();
        nodes.shrink(0);
    }
}
