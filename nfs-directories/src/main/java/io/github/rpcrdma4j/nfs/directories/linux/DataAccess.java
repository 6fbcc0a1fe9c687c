package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.linux.Errno;
import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Statx;
import io.github.rpcrdma4j.nfs.directories.linux.FileThreads.Call;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.Permission;
import io.github.rpcrdma4j.nfs.store.StoreException;

/**
 * Opens regular files for their data, and checks whether their callers may use it.
 *
 * <p>Tests: {@code RightsTest}, {@code LinuxLocksTest}.
 */
record DataAccess(LinuxStore store) {
    private static final int MODE_MASK = 07777;
    private static final int OWNER_BITS = 0600;

    /**
     * Returns a descriptor to read a file, for one use. The scratch must hold the attributes of the
     * file.
     *
     * @throws StoreException ACCES if the caller may not read it now
     */
    DataFile openToRead(Call call, DataUse use) throws StoreException {
        Rights.require(call, use.node(), use.caller(), Permission.READ);
        var leased = store.data().findLeased(store, use.node());
        if (leased != null) {
            return leased;
        }
        var known = store.data().find(store, use.node(), use.caller(), false);
        return known != null ? known : openNew(call, use, false);
    }

    /**
     * Returns a descriptor to write to a file, for one use.
     *
     * @throws StoreException ACCES if the caller may not write to it now
     */
    DataFile openToWrite(Call call, DataUse use) throws StoreException {
        var known = store.data().findToWrite(store, use.node(), use.caller());
        if (known == null) {
            use.node().stat(call.scratch);
            return openNew(call, use, true);
        }
        try {
            requireMayWrite(call, use);
            return known;
        } catch (StoreException | RuntimeException refused) {
            store.data().forget(known);
            store.data().release(known);
            throw refused;
        }
    }

    void requireMayWrite(Call call, DataUse use) throws StoreException {
        use.node().stat(call.scratch);
        Rights.require(call, use.node(), use.caller(), Permission.WRITE);
    }

    DataFile openNew(Call call, DataUse use, boolean writable) throws StoreException {
        call.mustWait();
        boolean isOwner = call.owns(use.caller());
        return store.data().open(store, use, writable, () -> open(call, use, writable, isOwner));
    }

    /**
     * Opens a file with the rights of its caller, or with those of the server if NFS allows the
     * access and the kernel does not.
     */
    private int open(Call call, DataUse use, boolean writable, boolean isOwner)
            throws StoreException {
        var node = use.node();
        int flags = writable ? Kernel.O_WRONLY : Kernel.O_RDONLY;
        int result =
                call.as(use.caller(), scratch -> Kernel.reopen(scratch, node.descriptor, flags));
        if (ErrnoFailures.isOutOfDescriptors(result)) {
            store.all().shrink();
            result =
                    call.as(
                            use.caller(),
                            scratch -> Kernel.reopen(scratch, node.descriptor, flags));
        }
        if (result == -Errno.ACCES && (isOwner || !writable && mayExecute(call, use))) {
            result = openAsServer(call, node, flags);
        }
        return result;
    }

    /**
     * Opens a file for locks of the server, for writing too.
     *
     * @return a descriptor, which belongs to the receiver, or a negative error number if the file
     *     cannot be opened so
     */
    int openForWriteLocks(Call call, LinuxNode node) throws StoreException {
        int result = openForLocks(call, node, Kernel.O_RDWR);
        boolean isReadOnly =
                result == -Errno.ACCES
                        || result == -Errno.PERM
                        || result == -Errno.ROFS
                        || result == -Errno.TXTBSY;
        return isReadOnly ? result : ErrnoFailures.check(result);
    }

    /**
     * Opens a file for locks of the server for reading.
     *
     * @return a descriptor, which belongs to the receiver
     */
    int openForReadLocks(Call call, LinuxNode node) throws StoreException {
        return ErrnoFailures.check(openForLocks(call, node, Kernel.O_RDONLY));
    }

    /**
     * Returns another descriptor of what is open for a write lease, for locks of the server.
     *
     * @return a descriptor, which belongs to the receiver; -1 if there is no write lease
     */
    int duplicateOfLease(Call call, LinuxNode node) throws StoreException {
        var leased = store.data().findLeased(store, node);
        if (leased == null) {
            return -1;
        }
        try {
            return ErrnoFailures.check(
                    store.opened(() -> Kernel.duplicate(call.scratch, leased.descriptor)));
        } finally {
            store.data().release(leased);
        }
    }

    /**
     * Opens a file for a kernel lease of the server.
     *
     * @return a descriptor, which belongs to the receiver
     * @throws StoreException ACCES, ROFS and others if the file cannot be opened so
     */
    int openForLease(Call call, LinuxNode node, int flags) throws StoreException {
        return ErrnoFailures.check(openForLocks(call, node, flags));
    }

    private int openForLocks(Call call, LinuxNode node, int flags) throws StoreException {
        int result = store.opened(() -> Kernel.reopen(call.scratch, node.descriptor, flags));
        return result == -Errno.ACCES ? openAsServer(call, node, flags) : result;
    }

    /** Opens a file with the rights of the server, or of its owner if that is this process. */
    private int openAsServer(Call call, LinuxNode node, int flags) throws StoreException {
        return store.threads().actsForCallers()
                ? Kernel.reopen(call.scratch, node.descriptor, flags)
                : openAsOwner(call, node, flags);
    }

    /**
     * Opens a file of this process's own user against its mode, as NFS allows owners. It changes
     * the mode for a moment; the lock of the node excludes any SETATTR meanwhile.
     */
    private static int openAsOwner(Call call, LinuxNode node, int flags) throws StoreException {
        synchronized (node) {
            node.stat(call.scratch);
            int mode = Statx.mode(call.scratch) & MODE_MASK;
            int result = Kernel.fchmod(call.scratch, node.descriptor, mode | OWNER_BITS);
            if (result < 0) {
                // The file belongs to another user, or its file system is read-only.
                return -Errno.ACCES;
            }
            result = Kernel.reopen(call.scratch, node.descriptor, flags);
            int restored = Kernel.fchmod(call.scratch, node.descriptor, mode);
            if (restored < 0 && result >= 0) {
                Kernel.close(call.scratch, result);
                return restored;
            }
            return result;
        }
    }

    /** Returns whether a caller may execute a file, and so may read it (RFC 1813, Section 4.4). */
    private static boolean mayExecute(Call call, DataUse use) throws StoreException {
        int descriptor = use.node().descriptor;
        return call.as(use.caller(), scratch -> Kernel.faccess(scratch, descriptor, Node.EXECUTE))
                == 0;
    }

    /** Changes the data of a file while no thread drops lost data of it from the page cache. */
    static int change(Call call, DataFile data, Caller caller, FileThreads.Section change)
            throws StoreException {
        data.file.changing.readLock().lock();
        try {
            return call.as(caller, change);
        } finally {
            data.file.changing.readLock().unlock();
        }
    }
}
