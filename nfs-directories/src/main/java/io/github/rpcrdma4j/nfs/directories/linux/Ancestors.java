package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.linux.Errno;
import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.linux.Statx;
import io.github.rpcrdma4j.nfs.directories.linux.FileThreads.Call;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.StoreException;
import java.util.function.Predicate;

/**
 * The ways from directories of a store up to its root.
 *
 * <p>Tests: {@code LinuxStoreContractTest}, {@code InnerExportsTest}.
 */
final class Ancestors {
    /** The most levels to climb to the root, if the kernel does not check this. */
    private static final int DEPTH_MAX = 65_536;

    /** The most levels to climb to a directory that is sought. */
    private static final int SOUGHT_MAX = 4096;

    private final LinuxStore store;
    private final LinuxNode root;
    private final long rootInode;
    private final long rootDevice;

    /**
     * @param scratch holds the attributes of the root
     */
    Ancestors(LinuxStore store, LinuxNode root, Scratch scratch) {
        this.store = store;
        this.root = root;
        this.rootInode = Statx.inode(scratch);
        this.rootDevice = Statx.device(scratch);
    }

    /** Returns the inode number of the root. */
    long rootNumber() {
        return rootInode;
    }

    /** What to do at a directory on the way up, whose attributes the scratch holds. */
    private interface Level {
        /**
         * @return whether the climb ends here
         */
        boolean at(int directory) throws StoreException;
    }

    /**
     * Climbs from a directory until a level or the root ends it.
     *
     * @return whether it ended there, and not above the root or after too many levels
     */
    private boolean climb(Scratch scratch, int from, int levels, Level level)
            throws StoreException {
        int at = from;
        try {
            for (int depth = 0; depth < levels; depth++) {
                ErrnoFailures.check(Kernel.knownStatx(scratch, at));
                long inode = Statx.inode(scratch);
                long device = Statx.device(scratch);
                if (level.at(at) || inode == rootInode && device == rootDevice) {
                    return true;
                }
                int up = openParent(scratch, at);
                close(scratch, at, from);
                at = up;
                ErrnoFailures.check(Kernel.knownStatx(scratch, at));
                if (inode == Statx.inode(scratch) && device == Statx.device(scratch)) {
                    return false;
                }
            }
            return false;
        } finally {
            close(scratch, at, from);
        }
    }

    private static void close(Scratch scratch, int at, int from) {
        if (at != from) {
            Kernel.close(scratch, at);
        }
    }

    int openParent(Scratch scratch, int directory) throws StoreException {
        return ErrnoFailures.check(
                store.opened(
                        () ->
                                Kernel.openat(
                                        scratch,
                                        directory,
                                        scratch.address + Scratch.DOT_DOT,
                                        LinuxStore.OPEN_NAME | Kernel.directory(),
                                        0)));
    }

    /**
     * Returns whether a directory is the root or lies below it; a local process may have moved it
     * away.
     */
    boolean isBelowRoot(Call call, LinuxNode directory) throws StoreException {
        return climb(call.scratch, directory.descriptor, DEPTH_MAX, _ -> false);
    }

    /**
     * Finds a directory on the way up.
     *
     * @throws StoreException NOENT if none on the way is sought
     */
    FileId find(Call call, LinuxNode from, Predicate<FileId> isSought) throws StoreException {
        var found = new FileId[1];
        climb(
                call.scratch,
                from.descriptor,
                SOUGHT_MAX,
                at -> {
                    var id = at == from.descriptor ? from.id : store.idOf(call, at);
                    found[0] = isSought.test(id) ? id : null;
                    return found[0] != null;
                });
        if (found[0] == null) {
            throw new StoreException(Failure.NOENT);
        }
        return found[0];
    }

    /**
     * Returns whether a directory lies in the mount that the store has for itself. The kernel leads
     * up from a directory only within its mount, and knows that at one time for the whole way.
     *
     * @param id that of a directory of the file system of the root
     */
    boolean holds(Call call, FileId id) throws StoreException {
        var scratch = call.scratch;
        Handles.put(scratch, id);
        int descriptor =
                ErrnoFailures.check(
                        store.opened(
                                () ->
                                        Kernel.openByHandle(
                                                scratch,
                                                root.mounted.descriptor(),
                                                Kernel.O_PATH)));
        int up =
                Kernel.openat(
                        scratch,
                        descriptor,
                        scratch.address + Scratch.DOT_DOT,
                        LinuxStore.OPEN_NAME | Kernel.directory(),
                        0);
        Kernel.close(scratch, descriptor);
        if (up == -Errno.NOENT) {
            return false;
        }
        Kernel.close(scratch, ErrnoFailures.check(up));
        return true;
    }
}
