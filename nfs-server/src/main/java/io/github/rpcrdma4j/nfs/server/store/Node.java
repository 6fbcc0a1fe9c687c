package io.github.rpcrdma4j.nfs.server.store;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.v3.Values.Stability;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * A reference to one file, whatever names it has. It is used for a call and then closed.
 * Thread-safe.
 *
 * <p>Every operation is made as its caller, and the caller's rights decide: those that the
 * operating system gives where the store can act for others, those of the server's own user
 * elsewhere. Every operation throws {@link StoreException}: {@link Failure#STALE} if the file is
 * gone, and what else the operating system says. One whose thread is interrupted may throw {@link
 * Failure#AGAIN}, and leaves it interrupted.
 *
 * <p>Names are not empty, not {@code .} or {@code ..}, and have no slash and no NUL in them, or the
 * operation fails with {@link Failure#INVAL}; longer ones than the file system keeps fail with
 * {@link Failure#NAMETOOLONG}. {@link #lookup} alone takes {@code .} and {@code ..}.
 */
public interface Node extends AutoCloseable {
    /** Bits of {@link #access}, as in one digit of a mode. */
    int READ = 4;

    int WRITE = 2;
    int EXECUTE = 1;

    /**
     * A file by its name.
     *
     * @param directory the attributes of the directory that it was found in
     */
    record Found(FileId id, FileStatus status, FileStatus directory) {}

    /**
     * A change that was made, and is on storage where the export asks for that.
     *
     * @param before the file, or directory, before it, if nothing else changed it at the same time
     * @param after and after it
     */
    record Changed<T>(Optional<FileStatus> before, Optional<FileStatus> after, T value) {}

    /**
     * A file that was made.
     *
     * @param made empty if the new file was gone, or another, when it was looked at
     */
    record Made(Optional<Entry> made) {
        public record Entry(FileId id, FileStatus status) {}
    }

    /**
     * @param bytes how many were read
     * @param status the file afterwards
     */
    record ReadBytes(int bytes, boolean endOfFile, Optional<FileStatus> status) {}

    /**
     * @param bytes how many were written
     * @param stability how safe they are
     * @param verifier changes when bytes that were written UNSTABLE may have been lost
     */
    record Written(int bytes, Stability stability, long verifier) {}

    /** How storage is dealt with by the export that a call came to. */
    enum Storage {
        /** A change is answered when it is on storage. */
        SYNC,
        /** A change is answered at once; what was answered can be lost. */
        ASYNC
    }

    FileId id();

    /** The attributes now. */
    FileStatus status() throws StoreException;

    /**
     * What the caller may do.
     *
     * @param wanted bits to ask for
     * @return those of them that are granted
     */
    int access(Caller caller, int wanted) throws StoreException;

    /**
     * The file of that name in this directory. The root is its own parent.
     *
     * @throws StoreException {@link Failure#NOENT}, or {@link Failure#ACCES} without the right to
     *     search the directory
     */
    Found lookup(Caller caller, FileName name) throws StoreException;

    /**
     * Lists this directory, with {@code .} and {@code ..}, in an order that does not change.
     *
     * @param cookie behind which entry to go on; 0 to start
     * @param details whether attributes and ids of the entries are wanted
     * @return the directory afterwards
     * @throws StoreException {@link Failure#BAD_COOKIE} for a cookie that was never given
     */
    FileStatus list(Caller caller, long cookie, boolean details, EntrySink sink)
            throws StoreException;

    /** Takes the entries of a listing. */
    interface EntrySink {
        /**
         * Takes an entry.
         *
         * @param number the inode number
         * @param cookie behind which a listing goes on after this entry; not 0
         * @param entry empty if details were not wanted, if the caller may not search the
         *     directory, or if the file was gone when it was looked at
         * @return false if it is not taken, and the listing ends here
         */
        boolean add(FileName name, long number, long cookie, Optional<Made.Entry> entry);

        /** No entry is left. */
        void end();
    }

    Changed<Made> create(Caller caller, FileName name, Creation how, Storage storage)
            throws StoreException;

    Changed<Made> makeDirectory(
            Caller caller, FileName name, AttributeChanges attributes, Storage storage)
            throws StoreException;

    /**
     * @param text of the link: any bytes but NUL
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

    /** Takes the name of a file that is not a directory out of this directory. */
    Changed<Void> remove(Caller caller, FileName name, Storage storage) throws StoreException;

    /** Removes an empty directory from this directory. */
    Changed<Void> removeDirectory(Caller caller, FileName name, Storage storage)
            throws StoreException;

    /**
     * Moves a file of this directory.
     *
     * @param target of the store of this node, or the operation fails with {@link Failure#XDEV}
     * @return what became of this directory; the value is what became of the target
     */
    Changed<Changed<Void>> rename(
            Caller caller, FileName name, Node target, FileName newName, Storage storage)
            throws StoreException;

    /**
     * Gives a file one more name, in this directory.
     *
     * @param file of the store of this node, or the operation fails with {@link Failure#XDEV}
     * @return what became of this directory; the value is the file
     */
    Changed<FileStatus> link(Caller caller, Node file, FileName name, Storage storage)
            throws StoreException;

    /**
     * Sets attributes.
     *
     * @param guard the time of the last change that the file must have, if given
     * @throws StoreException {@link Failure#NOT_SYNC} if it has another
     */
    Changed<Void> setAttributes(
            Caller caller, AttributeChanges changes, Optional<Time> guard, Storage storage)
            throws StoreException;

    /**
     * Reads the text of a symbolic link.
     *
     * @throws StoreException {@link Failure#INVAL} if it is none
     */
    byte[] readLink(Caller caller) throws StoreException;

    /**
     * Reads from a regular file. Its owner may always read, and who may execute it may read it: the
     * client checked when the file was opened (RFC 1813, Section 4.4).
     *
     * @param offset bytes; not negative
     * @param target native memory; filled as far as the file reaches
     * @throws StoreException {@link Failure#ISDIR} for a directory, {@link Failure#INVAL} for what
     *     else is no regular file
     */
    ReadBytes read(Caller caller, long offset, MemorySegment target) throws StoreException;

    /**
     * Writes to a regular file. Its owner may always write.
     *
     * @param offset bytes; not negative
     * @param source any memory; it is read until the method returns
     */
    Changed<Written> write(
            Caller caller, long offset, MemorySegment source, Stability stability, Storage storage)
            throws StoreException;

    /**
     * Brings to storage what was written to this file.
     *
     * @return the verifier; if it is another than one of a WRITE, what that wrote can be lost
     */
    Changed<Long> commit(Caller caller, Storage storage) throws StoreException;

    /** The room of the file system that this file is on. */
    SpaceStatus space() throws StoreException;

    /** Gives the reference back. */
    @Override
    void close();
}
