package io.github.rpcrdma4j.nfs.server.store;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results.Stability;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/**
 * A reference to one file, independent of the file's names. It is used for one call and then
 * closed. Thread-safe.
 *
 * <p>Every operation has a caller, whose rights decide ({@link Permission}). If the store can act
 * for its callers, these are the caller's rights in the operating system; otherwise they are those
 * of the server's own user. Every operation throws {@link StoreException}: {@link Failure#STALE} if
 * the file is gone, or another failure of the operating system. An operation whose thread is
 * interrupted may throw {@link Failure#AGAIN}; the thread stays interrupted.
 *
 * <p>Names that are empty, are {@code .} or {@code ..}, or contain a slash or a NUL fail with
 * {@link Failure#INVAL}. Names longer than the file system allows fail with {@link
 * Failure#NAMETOOLONG}. Only {@link #lookup} accepts {@code .} and {@code ..}.
 */
public interface Node extends AutoCloseable {
    /** The right to read: a bit of {@link #access}, as in one digit of a mode. */
    int READ = 4;

    int WRITE = 2;
    int EXECUTE = 1;

    /**
     * The result of a lookup.
     *
     * @param directory the attributes of the directory that was searched
     */
    record Found(FileId id, FileStatus status, FileStatus directory) {}

    /**
     * A completed change; it is on storage if the export is {@link Storage#SYNC}.
     *
     * @param before the file or directory before the change; empty if another change may have
     *     overlapped
     * @param after the file or directory after the change; empty if unknown
     */
    record Changed<T>(Optional<FileStatus> before, Optional<FileStatus> after, T value) {}

    /**
     * The result of making a file.
     *
     * @param made empty if the new file was gone or replaced before its attributes were read
     * @param isNew whether this call made the file; otherwise it existed, for example because an
     *     earlier call with the verifier made it
     */
    record Made(Optional<Entry> made, boolean isNew) {
        public record Entry(FileId id, FileStatus status) {}
    }

    /**
     * @param bytes the number of bytes read
     * @param status the file after the read
     */
    record ReadBytes(int bytes, boolean endOfFile, Optional<FileStatus> status) {
        /**
         * Returns the result of a read. A read that got fewer bytes than it wanted found the end of
         * the file, even if the file has grown since. Linux takes a reply without bytes and without
         * the end of the file for an error.
         *
         * @param wanted the number of bytes that the client wants
         * @param offset where the read began, in bytes
         * @param size the size of the file after the read, in bytes
         */
        public static ReadBytes of(
                int bytes, long wanted, long offset, long size, Optional<FileStatus> status) {
            return new ReadBytes(bytes, bytes < wanted || offset >= size - bytes, status);
        }

        /**
         * Returns how long the buffer for a read has to be: no longer than the rest of the file,
         * but long enough for a byte if the client wants any. A read into an empty buffer could not
         * tell the end of the file from bytes that are written meanwhile.
         *
         * @param wanted the number of bytes that the client wants
         * @param offset where the read begins, in bytes
         * @param size the size of the file, in bytes
         */
        public static long room(long wanted, long offset, long size) {
            return Math.min(wanted, Math.max(size - offset, 1));
        }
    }

    /**
     * @param bytes the number of bytes written
     * @param stability their durability
     * @param verifier changes when bytes that were written UNSTABLE may have been lost
     */
    record Written(int bytes, Stability stability, long verifier) {}

    /** What allows a caller to set attributes of a file. */
    enum Basis {
        /** The rights of the caller. */
        RIGHTS,
        /**
         * A delegation of the caller's client, with which it keeps the times of the file: it may
         * set them, although only the owner may set them otherwise.
         */
        DELEGATION
    }

    /** What a seek looks for. */
    enum Content {
        DATA,
        /** Bytes without storage; the end of a file counts as one. */
        HOLE
    }

    /**
     * The result of a seek.
     *
     * @param offset of the content, in bytes; the size of the file if there is none
     * @param endOfFile whether the offset is the end of the file
     */
    record Sought(long offset, boolean endOfFile) {}

    /**
     * A place in the data of a regular file.
     *
     * @param offset in bytes; not negative
     */
    record Place(Node file, long offset) {}

    /** How an extended attribute is set. */
    enum XattrRule {
        EITHER,
        /** It must not exist. */
        CREATE,
        /** It must exist. */
        REPLACE
    }

    /** The durability that the export of a call demands of changes. */
    enum Storage {
        /** The reply waits until the change is on storage. */
        SYNC,
        /** The reply does not wait; a change may be lost after its reply. */
        ASYNC
    }

    FileId id();

    /**
     * Returns where this file is now, for the operator: from the root of the store, which is a
     * slash. It ends with " (deleted)" if the name by which the store knew the file is gone while
     * it has others.
     *
     * @return empty if the store cannot tell
     */
    Optional<PathName> path();

    /** Returns the current attributes. */
    FileStatus status() throws StoreException;

    /**
     * Returns the rights of the caller.
     *
     * @param wanted the rights to check
     * @return the granted ones among them
     */
    int access(Caller caller, int wanted) throws StoreException;

    /**
     * Checks that the caller may use this file so now. Uses of data check it by themselves.
     *
     * @throws StoreException {@link Permission#refusal} if not
     */
    void require(Caller caller, Permission permission) throws StoreException;

    /**
     * Checks that the caller may take a name of this directory from its file, or give it to another
     * one: {@link Permission#NAMES}, and {@link Permission#OWNER} of this directory or of the file
     * if it has the sticky bit. The operation itself checks it, too.
     *
     * @throws StoreException {@link Permission#refusal} if not
     */
    void requireNameChange(Caller caller, FileName name) throws StoreException;

    /**
     * Finds the file of a name in this directory. The root is its own parent.
     *
     * @throws StoreException {@link Failure#NOENT}, or {@link Failure#ACCES} if the caller may not
     *     search the directory
     */
    Found lookup(Caller caller, FileName name) throws StoreException;

    /**
     * Lists this directory, including {@code .} and {@code ..}, in a stable order.
     *
     * @param cookie of the entry after which the listing continues; 0 to start
     * @param details whether to pass attributes and ids of the entries
     * @return the directory after the listing
     * @throws StoreException {@link Failure#BAD_COOKIE} for a cookie that this directory never gave
     *     out
     */
    FileStatus list(Caller caller, long cookie, boolean details, EntrySink sink)
            throws StoreException;

    /** Receives the entries of a listing. */
    interface EntrySink {
        /**
         * Receives an entry.
         *
         * @param number the inode number
         * @param cookie identifies this entry as the start of a later listing; not 0
         * @param entry empty if details were not requested, if the caller may not search the
         *     directory, or if the file was gone before its attributes were read
         * @return false if the entry does not fit, which ends the listing
         */
        boolean add(FileName name, long number, long cookie, Optional<Made.Entry> entry);

        /** Reports that no entry is left. */
        void end();
    }

    Changed<Made> create(Caller caller, FileName name, Creation how, Storage storage)
            throws StoreException;

    Changed<Made> makeDirectory(
            Caller caller, FileName name, AttributeChanges attributes, Storage storage)
            throws StoreException;

    /**
     * @param text the text of the link: any bytes but NUL
     */
    Changed<Made> makeSymbolicLink(
            Caller caller, FileName name, byte[] text, AttributeChanges attributes, Storage storage)
            throws StoreException;

    Changed<Made> makeSpecialFile(
            Caller caller,
            FileName name,
            SpecialFile file,
            AttributeChanges attributes,
            Storage storage)
            throws StoreException;

    /** Removes the name of a file that is not a directory from this directory. */
    Changed<Void> remove(Caller caller, FileName name, Storage storage) throws StoreException;

    /** Removes an empty directory from this directory. */
    Changed<Void> removeDirectory(Caller caller, FileName name, Storage storage)
            throws StoreException;

    /**
     * Moves a file of this directory to a name in the target directory.
     *
     * @param target a directory of this node's store; otherwise the operation fails with {@link
     *     Failure#XDEV}
     * @return the change of this directory; its value is the change of the target
     */
    Changed<Changed<Void>> rename(
            Caller caller, FileName name, Node target, FileName newName, Storage storage)
            throws StoreException;

    /**
     * Creates a further name of a file in this directory.
     *
     * @param file a file of this node's store; otherwise the operation fails with {@link
     *     Failure#XDEV}
     * @return the change of this directory; its value is the status of the file
     */
    Changed<FileStatus> link(Caller caller, Node file, FileName name, Storage storage)
            throws StoreException;

    /**
     * Sets attributes.
     *
     * @param basis allows a change of the times
     * @param guard if present, the change time that the file must have
     * @throws StoreException {@link Failure#NOT_SYNC} if the change time differs from the guard
     */
    Changed<Void> setAttributes(
            Caller caller,
            Basis basis,
            AttributeChanges changes,
            Optional<Time> guard,
            Storage storage)
            throws StoreException;

    /**
     * Reads the text of a symbolic link.
     *
     * @throws StoreException {@link Failure#INVAL} if the file is no symbolic link
     */
    byte[] readLink(Caller caller) throws StoreException;

    /**
     * Reads from a regular file. A caller with the right to execute may read: the client checked
     * rights when it opened the file (RFC 1813, Section 4.4).
     *
     * @param offset in bytes; not negative
     * @param target native memory; filled up to the end of the file
     * @throws StoreException {@link Failure#ISDIR} for a directory, {@link Failure#INVAL} for other
     *     files that are not regular
     */
    ReadBytes read(Caller caller, long offset, MemorySegment target) throws StoreException;

    /**
     * Writes to a regular file.
     *
     * @param offset in bytes; not negative
     * @param source any memory; it must not change until the method returns
     */
    Changed<Written> write(
            Caller caller, long offset, MemorySegment source, Stability stability, Storage storage)
            throws StoreException;

    /**
     * Forces the written data of this file to storage.
     *
     * @return the change of the file; its value is the write verifier. If it differs from that of a
     *     WRITE, the data of that WRITE may be lost
     */
    Changed<Long> commit(Caller caller, Storage storage) throws StoreException;

    /**
     * Finds the next data or hole of a regular file, at the offset or behind it. A store that
     * cannot tell holes takes all bytes for data.
     *
     * @param offset in bytes; not negative
     * @throws StoreException {@link Failure#NXIO} if the offset is not before the end of the file
     */
    Sought seek(Caller caller, long offset, Content wanted) throws StoreException;

    /**
     * Provides a range of a regular file with storage. A file that ends before the end of the range
     * grows.
     *
     * @param offset in bytes; not negative
     * @param length in bytes; positive
     * @throws StoreException {@link Failure#NOTSUPP} if the store or the file system cannot do this
     */
    Changed<Void> allocate(Caller caller, long offset, long length, Storage storage)
            throws StoreException;

    /**
     * Makes a hole of a range of a regular file, which reads as zeros afterwards. The size stays
     * the same. For parameters and failures see {@link #allocate}.
     */
    Changed<Void> deallocate(Caller caller, long offset, long length, Storage storage)
            throws StoreException;

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
    Changed<Written> copyRange(Caller caller, long offset, long length, Place target)
            throws StoreException;

    /**
     * Makes a range of a regular file share the storage of a range of this one, as long as none of
     * them is written.
     *
     * @param offset in bytes; a multiple of the unit of {@link #features}
     * @param length in bytes; 0 for all up to the end of this file
     * @return the change of the target
     * @throws StoreException {@link Failure#NOTSUPP} if the file system cannot do this, {@link
     *     Failure#INVAL} for ranges that are no units, overlap or are behind the end, {@link
     *     Failure#XDEV}
     */
    Changed<Void> cloneRange(Caller caller, long offset, long length, Place target, Storage storage)
            throws StoreException;

    /**
     * Returns the value of an extended attribute of a regular file or directory (RFC 8276).
     *
     * @param name in the namespace of users, without the prefix of Linux
     * @throws StoreException {@link Failure#NOXATTR}, {@link Failure#ACCES}, {@link Failure#INVAL}
     *     for a name that is empty or has a NUL and for other files, {@link Failure#NAMETOOLONG},
     *     {@link Failure#NOTSUPP} if the store or the file system has none
     */
    byte[] xattr(Caller caller, FileName name) throws StoreException;

    /**
     * Returns the names of all extended attributes of users. Their order stays the same while none
     * is set or removed, so an index is a cookie. The caller needs the right to read.
     */
    List<FileName> xattrs(Caller caller) throws StoreException;

    /**
     * Sets an extended attribute. For further failures see {@link #xattr}.
     *
     * @throws StoreException {@link Failure#EXIST} or {@link Failure#NOXATTR} by the rule, {@link
     *     Failure#XATTR2BIG} for a value of more than 64 KiB or than the file system keeps, {@link
     *     Failure#NOSPC}
     */
    Changed<Void> setXattr(
            Caller caller, FileName name, byte[] value, XattrRule rule, Storage storage)
            throws StoreException;

    /** Removes an extended attribute. For failures see {@link #xattr}. */
    Changed<Void> removeXattr(Caller caller, FileName name, Storage storage) throws StoreException;

    /**
     * Opens a regular file so that local processes open it only after the listener was told. A
     * write lease is also the descriptor of all reads and writes of this server meanwhile. The
     * caller closes the lease, within {@code fs.lease-break-time} after a conflict.
     *
     * @throws StoreException {@link Failure#AGAIN} if a process has the file open in a way that
     *     conflicts, {@link Failure#ACCES} if the file belongs to another user and this process may
     *     not take leases on it, {@link Failure#NOTSUPP} if the store has no leases
     */
    KernelLease openLease(KernelLease.Kind kind, KernelLease.Listener listener)
            throws StoreException;

    /**
     * Opens the locks of this server on a regular file; the caller closes them before the store.
     * They stay valid after this node is closed. They do not break the lease of {@link #openLease}
     * that lets its holder lock so.
     *
     * @param first the kind of the first lock
     * @throws StoreException {@link Failure#AGAIN} if the server has the locks of too many files
     *     open, {@link Failure#NOTSUPP} if the store has none
     */
    KernelLocks openLocks(KernelLocks.Kind first) throws StoreException;

    /**
     * Returns a lock of any process that conflicts with a lock; empty if there is none. The locks
     * of this server are among them, so nothing of this file may be open for locks. The file is
     * open for a moment only, which counts for no limit.
     *
     * @throws StoreException {@link Failure#NOTSUPP} if the store has no locks
     */
    Optional<KernelLocks.Lock> lockConflict(KernelLocks.Lock lock) throws StoreException;

    /**
     * Returns the access control lists. A file without any has those of its mode.
     *
     * @throws StoreException {@link Failure#FBIG} if a list has more than {@link
     *     io.github.rpcrdma4j.nfs.acl.PosixAcl#ENTRIES_MAX} entries
     */
    Acls acls() throws StoreException;

    /** Returns what this file's file system can do. */
    FileSystemFeatures features();

    /**
     * Returns whether its file system is mounted read-only now, so that every change fails.
     *
     * @throws StoreException if that cannot be found out
     */
    boolean isReadOnly() throws StoreException;

    /** Returns the space of this file's file system. */
    SpaceStatus space() throws StoreException;

    /** Releases the reference. Does nothing if it was released before. */
    @Override
    void close();
}
