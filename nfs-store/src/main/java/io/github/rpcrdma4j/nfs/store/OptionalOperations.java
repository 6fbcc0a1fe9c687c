package io.github.rpcrdma4j.nfs.store;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.store.Node.Changed;
import io.github.rpcrdma4j.nfs.store.Node.Made;
import io.github.rpcrdma4j.nfs.store.Node.Storage;
import io.github.rpcrdma4j.nfs.store.Node.Written;
import java.util.List;
import java.util.Optional;

/**
 * The operations on a file that a store may lack: storage and copies of ranges, extended
 * attributes, and locks and leases towards other processes. Each fails with {@link Failure#NOTSUPP}
 * until a store has its own; the server then does without, or tells the client. A change of a store
 * that cannot be changed fails with {@link Failure#ROFS}.
 *
 * <p>Tests: {@code MemoryStoreTest}.
 */
public interface OptionalOperations {
    /**
     * A place in the data of a regular file.
     *
     * @param offset in bytes; not negative
     */
    record Place(Node file, long offset) {}

    /** How an extended attribute is set. */
    enum XattrRule {
        /** It may exist or not. */
        EITHER,
        /** It must not exist. */
        CREATE,
        /** It must exist. */
        REPLACE
    }

    /**
     * Makes a symbolic link in this directory.
     *
     * @param text the text of the link: any bytes but NUL
     * @throws StoreException {@link Failure#EXIST}; {@link Failure#NOTSUPP} if the store has none
     */
    default Changed<Made> makeSymbolicLink(
            Caller caller, FileName name, byte[] text, AttributeChanges attributes, Storage storage)
            throws StoreException {
        Node.requireName(name);
        throw unchangeable();
    }

    /**
     * Makes a file in this directory that is neither regular, nor a directory, nor a link.
     *
     * @throws StoreException {@link Failure#EXIST}; {@link Failure#NOTSUPP} if the store has none
     */
    default Changed<Made> makeSpecialFile(
            Caller caller,
            FileName name,
            SpecialFile file,
            AttributeChanges attributes,
            Storage storage)
            throws StoreException {
        Node.requireName(name);
        throw unchangeable();
    }

    /**
     * Creates a further name of a file in this directory.
     *
     * @param file a file of this node's store; otherwise the operation fails with {@link
     *     Failure#XDEV}
     * @return the change of this directory; its value is the status of the file
     */
    default Changed<FileStatus> link(Caller caller, Node file, FileName name, Storage storage)
            throws StoreException {
        Node.requireName(name);
        throw unchangeable();
    }

    /**
     * Reads the text of a symbolic link.
     *
     * @throws StoreException {@link Failure#INVAL} if the file is no symbolic link
     */
    default byte[] readLink(Caller caller) throws StoreException {
        throw new StoreException(Failure.INVAL);
    }

    /**
     * Provides a range of a regular file with storage. A file that ends before the end of the range
     * grows.
     *
     * @param offset in bytes; not negative
     * @param length in bytes; positive
     * @throws StoreException {@link Failure#NOTSUPP} if the store or the file system cannot do this
     */
    default Changed<Void> allocate(Caller caller, long offset, long length, Storage storage)
            throws StoreException {
        throw unchangeable();
    }

    /**
     * Makes a hole of a range of a regular file, which reads as zeros afterwards. The size stays
     * the same. For parameters and failures see {@link #allocate}.
     */
    default Changed<Void> deallocate(Caller caller, long offset, long length, Storage storage)
            throws StoreException {
        throw unchangeable();
    }

    /**
     * Copies a range of this regular file to a place in another or in the same one. Copies a few
     * MiB at most, so that no call takes long.
     *
     * @param offset in bytes; not negative
     * @param length in bytes; positive
     * @return the change of the target. Its value has the number of bytes that were copied, which
     *     may be less than the length, and is 0 at the end of this file
     * @throws StoreException {@link Failure#XDEV} if the target is not a file of this store or is
     *     on another file system, {@link Failure#INVAL} if the ranges overlap, {@link
     *     Failure#NOTSUPP}
     */
    default Changed<Written> copyRange(Caller caller, long offset, long length, Place target)
            throws StoreException {
        throw unchangeable();
    }

    /**
     * Makes a range of a regular file share the storage of a range of this one, as long as none of
     * them is written.
     *
     * @param offset in bytes; a multiple of the unit of {@link Node#features}
     * @param length in bytes; 0 for all up to the end of this file
     * @return the change of the target
     * @throws StoreException {@link Failure#NOTSUPP} if the file system cannot do this, {@link
     *     Failure#INVAL} for ranges that are no units, overlap or are behind the end, {@link
     *     Failure#XDEV}
     */
    default Changed<Void> cloneRange(
            Caller caller, long offset, long length, Place target, Storage storage)
            throws StoreException {
        throw unchangeable();
    }

    /**
     * Returns the value of an extended attribute of a regular file or directory (RFC 8276).
     *
     * @param name in the namespace of users, without the prefix of Linux
     * @throws StoreException {@link Failure#NOXATTR}, {@link Failure#ACCES}, {@link Failure#INVAL}
     *     for a name that is empty or has a NUL and for other files, {@link Failure#NAMETOOLONG},
     *     {@link Failure#NOTSUPP} if the store or the file system has none
     */
    default byte[] xattr(Caller caller, FileName name) throws StoreException {
        throw unsupported();
    }

    /**
     * Returns the names of all extended attributes of users. Their order stays the same while none
     * is set or removed, so an index is a cookie. The caller needs the right to read.
     */
    default List<FileName> xattrs(Caller caller) throws StoreException {
        throw unsupported();
    }

    /**
     * Sets an extended attribute. For further failures see {@link #xattr}.
     *
     * @throws StoreException {@link Failure#EXIST} or {@link Failure#NOXATTR} by the rule, {@link
     *     Failure#XATTR2BIG} for a value of more than 64 KiB or than the file system keeps, {@link
     *     Failure#NOSPC}
     */
    default Changed<Void> setXattr(
            Caller caller, FileName name, byte[] value, XattrRule rule, Storage storage)
            throws StoreException {
        throw unchangeable();
    }

    /** Removes an extended attribute. For failures see {@link #xattr}. */
    default Changed<Void> removeXattr(Caller caller, FileName name, Storage storage)
            throws StoreException {
        throw unchangeable();
    }

    /**
     * Opens a regular file so that local processes open it only after the listener was told. A
     * write lease is also the descriptor of all reads and writes of this server meanwhile. The
     * caller closes the lease, within {@code fs.lease-break-time} after a conflict.
     *
     * @throws StoreException {@link Failure#AGAIN} if a process has the file open in a way that
     *     conflicts, {@link Failure#ACCES} if the file belongs to another user and this process may
     *     not take leases on it, {@link Failure#NOTSUPP} if the store has no leases
     */
    default KernelLease openLease(KernelLease.Kind kind, KernelLease.Listener listener)
            throws StoreException {
        throw unsupported();
    }

    /**
     * Opens the locks of this server on a regular file; the caller closes them before the store.
     * They stay valid after this node is closed. They do not break the lease of {@link #openLease}
     * that lets its holder lock so.
     *
     * @param first the kind of the first lock
     * @throws StoreException {@link Failure#AGAIN} if the server has the locks of too many files
     *     open, {@link Failure#NOTSUPP} if the store has none
     */
    default KernelLocks openLocks(KernelLocks.Kind first) throws StoreException {
        throw unsupported();
    }

    /**
     * Returns a lock of any process that conflicts with a lock; empty if there is none. The locks
     * of this server are among them, so nothing of this file may be open for locks. The file is
     * open for a moment only, which counts for no limit.
     *
     * @throws StoreException {@link Failure#NOTSUPP} if the store has no locks
     */
    default Optional<KernelLocks.Lock> lockConflict(KernelLocks.Lock lock) throws StoreException {
        throw unsupported();
    }

    /**
     * Returns whether no file of its file system can be changed now, so that every change fails
     * with {@link Failure#ROFS}: it is mounted read-only, or the store has no operations that
     * change files.
     *
     * @throws StoreException if that cannot be found out
     */
    default boolean isReadOnly() throws StoreException {
        return false;
    }

    private StoreException unchangeable() throws StoreException {
        return new StoreException(isReadOnly() ? Failure.ROFS : Failure.NOTSUPP);
    }

    private static StoreException unsupported() {
        return new StoreException(Failure.NOTSUPP);
    }
}
