package io.github.rpcrdma4j.nfs.store;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * A reference to one file, independent of the file's names. It is used for one call and then
 * closed. Thread-safe.
 *
 * <p>A store has at least the methods without a body here, and may do without those with one: a
 * store that can be changed has its own {@link #create}, {@link #makeDirectory}, {@link #remove},
 * {@link #removeDirectory}, {@link #rename}, {@link #setAttributes}, {@link #write} and {@link
 * #commit}; one that cannot says so by {@link #isReadOnly}.
 *
 * <p>Every operation has a caller, whose rights decide ({@link Permission}). If the store can act
 * for its callers, these are the caller's rights in the operating system; otherwise they are those
 * of the server's own user. Every operation throws {@link StoreException}: {@link Failure#STALE} if
 * the file is gone, or another failure of the operating system. An operation whose thread is
 * interrupted may throw {@link Failure#AGAIN}; the thread stays interrupted.
 *
 * <p>The server asks a store for all that a client asks for. So each operation checks for itself
 * whether its caller may do it, by {@link #require} with a {@link Permission} such as {@link
 * Permission#LIST}, and whether a name is one, by {@link #requireName}. Operations of several calls
 * come at the same time, from threads that may wait for storage. A {@link RuntimeException} is an
 * internal error: it is logged, and the client gets an error.
 *
 * <p>Names that are empty, are {@code .} or {@code ..}, or contain a slash or a NUL fail with
 * {@link Failure#INVAL}. Names longer than the file system allows fail with {@link
 * Failure#NAMETOOLONG}. Only {@link #lookup} accepts {@code .} and {@code ..}.
 *
 * <p>Tests: {@code MemoryStoreTest}, {@code NioStoreContractTest}.
 */
public interface Node extends OptionalOperations, AutoCloseable {
    /** The right to read: a bit of {@link #access}, as in one digit of a mode. */
    int READ = 4;

    /** The right to write: a bit of {@link #access}. */
    int WRITE = 2;

    /** The right to execute a file, or to search a directory: a bit of {@link #access}. */
    int EXECUTE = 1;

    /**
     * The result of a lookup.
     *
     * @param id the file that has the name
     * @param status its attributes
     * @param directory the attributes of the directory that was searched
     */
    record Found(FileId id, FileStatus status, FileStatus directory) {}

    /**
     * A completed change; it is on storage if the export is {@link Storage#SYNC}.
     *
     * @param before the file or directory before the change; empty if another change may have
     *     overlapped
     * @param after the file or directory after the change; empty if unknown
     * @param value what else the operation tells
     * @param <T> the type of that
     */
    record Changed<T>(Optional<FileStatus> before, Optional<FileStatus> after, T value) {
        /** Returns a change that no other one overlaps. */
        public static <T> Changed<T> of(FileStatus before, FileStatus after, T value) {
            return new Changed<>(Optional.of(before), Optional.of(after), value);
        }
    }

    /**
     * The result of making a file.
     *
     * @param made empty if the new file was gone or replaced before its attributes were read
     * @param isNew whether this call made the file; otherwise it existed, for example because an
     *     earlier call with the verifier made it
     */
    record Made(Optional<Entry> made, boolean isNew) {
        /**
         * A file with its attributes.
         *
         * @param id the file
         * @param status its attributes
         */
        public record Entry(FileId id, FileStatus status) {}
    }

    /**
     * The result of a read.
     *
     * @param bytes the number of bytes read
     * @param endOfFile whether nothing is behind these bytes
     * @param status the file after the read
     */
    record ReadBytes(int bytes, boolean endOfFile, Optional<FileStatus> status) {
        /**
         * Returns the result of a read. A read that got fewer bytes than it wanted found the end of
         * the file, even if the file has grown since. Linux takes a reply without bytes and without
         * the end of the file for an error.
         *
         * @param bytes the number of bytes read
         * @param wanted the number of bytes that the client wants
         * @param offset where the read began, in bytes
         * @param size the size of the file after the read, in bytes
         * @param status the file after the read
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
     * The result of a write or a copy.
     *
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
        /** Bytes with storage. */
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

    /** The durability that the export of a call demands of changes. */
    enum Storage {
        /** The reply waits until the change is on storage. */
        SYNC,
        /** The reply does not wait; a change may be lost after its reply. */
        ASYNC
    }

    /**
     * Checks that a file may get a name.
     *
     * @throws StoreException {@link Failure#INVAL}, {@link Failure#NAMETOOLONG} beyond 255 bytes
     */
    static void requireName(FileName name) throws StoreException {
        if (name.length() > SpaceStatus.NAME_MAX) {
            throw new StoreException(Failure.NAMETOOLONG);
        }
        if (!name.isSingle() || name.isDots()) {
            throw new StoreException(Failure.INVAL);
        }
    }

    /** Returns the identity of this file. */
    FileId id();

    /**
     * Returns where this file is now, for the operator: from the root of the store, which is a
     * slash. It ends with " (deleted)" if the name by which the store knew the file is gone while
     * it has others.
     *
     * @return empty if the store cannot tell
     */
    default Optional<PathName> path() {
        return Optional.empty();
    }

    /** Returns the current attributes. */
    FileStatus status() throws StoreException;

    /**
     * Returns the rights of the caller: those that the mode gives, unless a store has its own rule.
     *
     * @param wanted the rights to check
     * @return the granted ones among them
     * @throws StoreException if the file is gone
     */
    default int access(Caller caller, int wanted) throws StoreException {
        return status().rights(caller) & wanted;
    }

    /**
     * Checks that the caller may use this file so now. The operations of a store check it by
     * themselves, too.
     *
     * @throws StoreException {@link Permission#refusal} if not
     */
    default void require(Caller caller, Permission permission) throws StoreException {
        boolean passes = permission.ownerPasses() && status().isOwnedBy(caller);
        if (!passes && !permission.isIn(access(caller, permission.asked()))) {
            throw new StoreException(permission.refusal());
        }
    }

    /**
     * Checks that the caller may take a name of this directory from its file, or give it to another
     * one: {@link Permission#NAMES}, and {@link Permission#OWNER} of this directory or of the file
     * if it has the sticky bit. The operation itself checks it, too.
     *
     * @throws StoreException {@link Permission#refusal} if not
     */
    default void requireNameChange(Caller caller, FileName name) throws StoreException {
        require(caller, Permission.NAMES);
        var directory = status();
        boolean isSticky = (directory.mode() & FileStatus.STICKY) != 0;
        if (!isSticky || directory.isOwnedBy(caller)) {
            return;
        }
        try {
            if (!lookup(new Caller.Server(), name).status().isOwnedBy(caller)) {
                throw new StoreException(Permission.OWNER.refusal());
            }
        } catch (StoreException failure) {
            // A name that no file has is nobody's.
            if (failure.failure() != Failure.NOENT) {
                throw failure;
            }
        }
    }

    /**
     * Checks that the caller may set attributes of this file. The operation itself checks it, too.
     *
     * @throws StoreException {@link Permission#refusal} if not
     */
    default void requireToSet(Caller caller, Basis basis, AttributeChanges changes)
            throws StoreException {
        boolean setsTimes = changes.changesTimes() && basis == Basis.RIGHTS;
        if (changes.size().isPresent() || setsTimes && changes.setsOnlyCurrentTimes()) {
            require(caller, Permission.WRITE);
        }
        if (changes.changesRights() || setsTimes && !changes.setsOnlyCurrentTimes()) {
            require(caller, Permission.OWNER);
        }
    }

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
     * @throws StoreException {@link Failure#NOTDIR}; {@link Failure#ACCES} without {@link
     *     Permission#LIST}; {@link Failure#BAD_COOKIE} for a cookie that this directory never gave
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
         * @param cookie identifies this entry as the start of a later listing; positive, and best
         *     below 2<sup>31</sup>. It stays valid when the name is removed
         * @param entry empty if details were not requested, if the caller may not search the
         *     directory, or if the file was gone before its attributes were read
         * @return false if the entry does not fit, which ends the listing
         */
        boolean add(FileName name, long number, long cookie, Optional<Made.Entry> entry);

        /** Reports that no entry is left. */
        void end();
    }

    /**
     * Makes a regular file in this directory.
     *
     * @throws StoreException {@link Failure#EXIST} by the rule of the creation; {@link
     *     Failure#ROFS} of a store that cannot be changed, as of all changes below
     */
    default Changed<Made> create(Caller caller, FileName name, Creation how, Storage storage)
            throws StoreException {
        throw new StoreException(Failure.ROFS);
    }

    /**
     * Makes a directory in this one.
     *
     * @throws StoreException {@link Failure#EXIST}
     */
    default Changed<Made> makeDirectory(
            Caller caller, FileName name, AttributeChanges attributes, Storage storage)
            throws StoreException {
        throw new StoreException(Failure.ROFS);
    }

    /**
     * Removes the name of a file that is not a directory from this directory.
     *
     * @throws StoreException {@link Failure#ISDIR} for a directory
     */
    default Changed<Void> remove(Caller caller, FileName name, Storage storage)
            throws StoreException {
        throw new StoreException(Failure.ROFS);
    }

    /**
     * Removes an empty directory from this directory.
     *
     * @throws StoreException {@link Failure#NOTDIR}, {@link Failure#NOTEMPTY}
     */
    default Changed<Void> removeDirectory(Caller caller, FileName name, Storage storage)
            throws StoreException {
        throw new StoreException(Failure.ROFS);
    }

    /**
     * Moves a file of this directory to a name in the target directory.
     *
     * @param target a directory of this node's store; otherwise the operation fails with {@link
     *     Failure#XDEV}
     * @return the change of this directory; its value is the change of the target
     */
    default Changed<Changed<Void>> rename(
            Caller caller, FileName name, Node target, FileName newName, Storage storage)
            throws StoreException {
        throw new StoreException(Failure.ROFS);
    }

    /**
     * Sets attributes.
     *
     * @param basis allows a change of the times
     * @param guard if present, the change time that the file must have
     * @throws StoreException {@link Failure#NOT_SYNC} if the change time differs from the guard
     */
    default Changed<Void> setAttributes(
            Caller caller,
            Basis basis,
            AttributeChanges changes,
            Optional<Time> guard,
            Storage storage)
            throws StoreException {
        throw new StoreException(Failure.ROFS);
    }

    /**
     * Reads from a regular file. A caller with the right to execute may read: the client checked
     * rights when it opened the file (RFC 1813, Section 4.4).
     *
     * @param offset in bytes; not negative
     * @param target native memory, of the number of bytes that are wanted, which may be 0; filled
     *     up to the end of the file. It may have bytes of other files: only those that were read
     *     are told as read
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
    default Changed<Written> write(
            Caller caller, long offset, MemorySegment source, Stability stability, Storage storage)
            throws StoreException {
        throw new StoreException(Failure.ROFS);
    }

    /**
     * Forces the written data of this file to storage.
     *
     * @return the change of the file; its value is the write verifier. If it differs from that of a
     *     WRITE, the data of that WRITE may be lost
     * @throws StoreException {@link Failure#ISDIR} for a directory, {@link Failure#INVAL} for other
     *     files that are not regular
     */
    default Changed<Long> commit(Caller caller, Storage storage) throws StoreException {
        throw new StoreException(Failure.ROFS);
    }

    /**
     * Finds the next data or hole of a regular file, at the offset or behind it. A store that
     * cannot tell holes takes all bytes for data.
     *
     * @param offset in bytes; not negative
     * @throws StoreException {@link Failure#NXIO} if the offset is not before the end of the file
     */
    default Sought seek(Caller caller, long offset, Content wanted) throws StoreException {
        var status = status();
        status.requireRegular();
        require(caller, Permission.READ);
        if (offset >= status.size()) {
            throw new StoreException(Failure.NXIO);
        }
        return wanted == Content.DATA ? new Sought(offset, false) : new Sought(status.size(), true);
    }

    /**
     * Returns the access control lists. A file without any has those of its mode.
     *
     * @throws StoreException {@link Failure#FBIG} if a list has more than {@link
     *     io.github.rpcrdma4j.nfs.acl.PosixAcl#ENTRIES_MAX} entries
     */
    default Acls acls() throws StoreException {
        return Acls.ofMode(status().mode());
    }

    /** Returns what this file's file system can do. */
    default FileSystemFeatures features() {
        return FileSystemFeatures.PLAIN;
    }

    /**
     * Returns the space of this file's file system.
     *
     * @throws StoreException if that cannot be found out
     */
    default SpaceStatus space() throws StoreException {
        return SpaceStatus.UNKNOWN;
    }

    /** Releases the reference. Does nothing if it was released before. */
    @Override
    default void close() {}
}
