package io.github.rpcrdma4j.nfs.client.service;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.acl.AclLists;
import io.github.rpcrdma4j.nfs.client.service.DirectoryPage.Wanted;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongConsumer;

/**
 * The files of one server by their handles, whichever version of NFS carries the calls.
 * Thread-safe.
 *
 * <p>A method that makes a call waits for its reply; an interrupt ends the wait. While the server
 * answers that it is not ready, the call is repeated after pauses, until its timeout has passed.
 *
 * <p>The server may carry out late what nobody waits for any more. From version 4.1 on, later calls
 * about the files of a change wait until the server says that the change has ended, so it never
 * undoes what was done after it. If that is not known in time, they fail with {@link
 * Status#JUKEBOX}, and were not made.
 *
 * <p>Each method that takes {@code what} uses it for the message of a failure: {@code "cannot
 * remove /a/b"}. It throws {@link NfsException} if the server refuses, or if the version of NFS
 * cannot do it, and another {@link IOException} if the server cannot be reached or answers against
 * the protocol.
 *
 * <p>Tests: {@code NfsFilesTest}, {@code Nfs2ClientTest}.
 */
public interface FileService extends AutoCloseable {
    /** Returns the version of NFS. */
    NfsVersion version();

    /** Returns as whom the calls are made. */
    Credential caller();

    /** Makes a call that does nothing at the server. */
    void ping() throws RpcException, InterruptedException;

    /** Returns the directories that the server lets clients mount. */
    List<Export> exports() throws IOException, InterruptedException;

    /**
     * Returns the exports among which is the one that holds a path, if there is one. In version 4
     * these are the directories on the way at which a file system begins.
     */
    List<PathName> exports(PathName path) throws IOException, InterruptedException;

    /** Mounts the export that holds a path. */
    default MountedExport mountFor(PathName path) throws IOException, InterruptedException {
        return MountedExport.of(this, path);
    }

    /**
     * Mounts an export, or a directory in it.
     *
     * @return the handle of the directory
     */
    FileHandle mount(PathName path) throws IOException, InterruptedException;

    /**
     * Returns the limits of the file system that holds a directory. If the server does not tell
     * them, they are limits that each server has.
     */
    TransferLimits limits(FileHandle directory) throws IOException, InterruptedException;

    /** Returns the space of the file system that holds a file. */
    SpaceStatus space(FileHandle file) throws IOException, InterruptedException;

    /** Returns the time nearest to this one that the version of NFS can give to a file. */
    Instant nearest(Instant time);

    /** Returns the attributes of a file. */
    FileAttributes attributes(FileHandle file, String what)
            throws IOException, InterruptedException;

    /** Changes attributes of a file, in one call. */
    void change(FileHandle file, AttributeChanges changes, String what)
            throws IOException, InterruptedException;

    /** Returns which of some rights the caller has. */
    Set<AccessRight> access(FileHandle file, Set<AccessRight> wanted, String what)
            throws IOException, InterruptedException;

    /** Returns the file of a name in a directory. */
    RemoteFile lookup(RemotePlace place, String what) throws IOException, InterruptedException;

    /**
     * Looks for the file of a name in a directory, then for that of the next name in this one, and
     * so on. Symbolic links are not followed.
     *
     * @param names none of which is "." or ".."
     */
    default WalkedPath walk(FileHandle directory, List<FileName> names, String what)
            throws IOException, InterruptedException {
        var files = new ArrayList<RemoteFile>();
        var at = directory;
        try {
            for (var name : names) {
                var next = lookup(new RemotePlace(at, name), what);
                files.add(next);
                if (next.attributes().type() == FileType.SYMBOLIC_LINK) {
                    break;
                }
                at = next.handle();
            }
            return new WalkedPath(files, Optional.empty());
        } catch (NfsException end) {
            return new WalkedPath(files, Optional.of(end));
        }
    }

    /** Returns the file of a name in a directory, or empty if there is none. */
    default Optional<RemoteFile> find(RemotePlace place, String what)
            throws IOException, InterruptedException {
        try {
            return Optional.of(lookup(place, what));
        } catch (NfsException missing) {
            if (missing.status() == Status.NOENT) {
                return Optional.empty();
            }
            throw missing;
        }
    }

    /**
     * Returns some names of a directory.
     *
     * @param cookie that of the name before the first wanted one; 0 to start
     * @param verifier that of the page of the cookie; 0 to start
     * @param wanted what to tell of the files of the names; {@link Status#NOTSUPP} if it is more
     *     than nothing, and the server or the version cannot
     */
    DirectoryPage list(FileHandle directory, long cookie, long verifier, Wanted wanted, String what)
            throws IOException, InterruptedException;

    /** Returns the text of a symbolic link, which may hold any bytes. */
    PathName readLink(FileHandle link, String what) throws IOException, InterruptedException;

    /**
     * Returns whether {@link #open} checks the rights of the caller. Otherwise each call on the
     * open file is checked alone, and the owner of a file may read and write it with any mode.
     */
    default boolean checksOpens() {
        return false;
    }

    /** Opens a file. */
    OpenFile open(FileHandle file, OpenFile.Mode mode, String what)
            throws IOException, InterruptedException;

    /**
     * Opens a file for a single read: at the server only if it asks for that.
     *
     * @see #open
     */
    OpenFile openOnce(FileHandle file, String what) throws IOException, InterruptedException;

    /**
     * Reads bytes of a file that is open for it.
     *
     * @param offset in bytes, unsigned
     * @param target native memory; it belongs to the transport until this method returns
     * @return how many bytes it holds now: fewer than there is room for if the server sends fewer;
     *     0 at the end of the file
     */
    long read(OpenFile file, long offset, MemorySegment target, String what)
            throws IOException, InterruptedException;

    /**
     * Writes bytes of a file that is open for it.
     *
     * @param offset in bytes, unsigned
     * @param stability what the caller asks for; the server may do more
     * @param data native memory; it belongs to the transport until this method returns
     */
    Written write(OpenFile file, long offset, Stability stability, MemorySegment data, String what)
            throws IOException, InterruptedException;

    /**
     * Writes bytes at the end of a file, if it still ends there. Other clients that write in the
     * same way lose nothing by it, as far as the version of NFS can compare and write at once:
     * otherwise the size is asked for in a call before.
     *
     * @param size of the file as far as it is known, in bytes
     * @param stability what the caller asks for; the server may do more
     * @param data native memory; it belongs to the transport until this method returns
     * @return empty if the file has another size; nothing is written then
     */
    default Optional<Written> writeAtEnd(
            OpenFile file, long size, Stability stability, MemorySegment data, String what)
            throws IOException, InterruptedException {
        return attributes(file.handle(), what).size() == size
                ? Optional.of(write(file, size, stability, data, what))
                : Optional.empty();
    }

    /**
     * Sets the size of a file that is open for writing, also if its mode denies it by now.
     *
     * @param size in bytes
     */
    default void truncate(OpenFile file, long size, String what)
            throws IOException, InterruptedException {
        change(file.handle(), AttributeChanges.ofSize(size), what);
    }

    /**
     * Puts written bytes of a file on stable storage.
     *
     * @param offset in bytes
     * @param count in bytes; 0 for all up to the end of the file
     * @return the verifier of the server, as that of {@link Written}
     */
    long commit(OpenFile file, long offset, int count, String what)
            throws IOException, InterruptedException;

    /**
     * Locks bytes of an open file against the locks of all others, those of other opens of this
     * service among them. Bytes that it has locked before get the new kind of lock. If the server
     * loses the lock, each later use of the open file fails with a {@link LockLostException}. A
     * lock that is granted after its caller has left is unlocked.
     *
     * @param isExclusive whether no other lock may be there, for which the file must be open for
     *     writing; otherwise no other exclusive lock, and it must be open for reading
     * @param wait how long to wait for the locks of others; zero for a single attempt
     * @return false if another one still has a lock there
     * @throws NfsException if the version of NFS has no locks
     */
    boolean lock(OpenFile file, LockRange range, boolean isExclusive, Duration wait, String what)
            throws IOException, InterruptedException;

    /** Unlocks bytes of an open file: those that it has locked. */
    void unlock(OpenFile file, LockRange range, String what)
            throws IOException, InterruptedException;

    /**
     * Lets two files of a file system share their storage, so that the target has all bytes of the
     * source. Each keeps its own when the other one is changed.
     *
     * @param source open for reading
     * @param target open for writing
     * @return false if the version, the server or the file system cannot; nothing is changed then
     */
    default boolean share(OpenFile source, OpenFile target, String what)
            throws IOException, InterruptedException {
        return false;
    }

    /**
     * Lets the server copy bytes to the same place in another file. The server may take long, as
     * long as it goes on; an interrupt asks it to stop.
     *
     * @param source open for reading
     * @param target open for writing
     * @param offset in bytes
     * @param count in bytes; at least 1
     * @param progress receives how many bytes are copied while the server copies, on this thread
     * @return how many bytes it has copied, maybe fewer: 0 at the end of the source; empty if the
     *     version or the server cannot copy
     */
    default Optional<Written> copy(
            OpenFile source,
            OpenFile target,
            long offset,
            long count,
            String what,
            LongConsumer progress)
            throws IOException, InterruptedException {
        return Optional.empty();
    }

    /**
     * Finds data or a hole of a file that is open for reading.
     *
     * @param offset where to begin, in bytes
     * @param isData whether data is sought; else a hole, as which the end of the file counts
     * @return where it begins; {@link Long#MAX_VALUE} if no data follows; empty if the version or
     *     the server cannot tell
     */
    default OptionalLong seek(OpenFile file, long offset, boolean isData, String what)
            throws IOException, InterruptedException {
        return OptionalLong.empty();
    }

    /**
     * What a server tells of a file that it has made.
     *
     * @param handle empty if it does not tell it
     * @param attributes empty if it does not tell them
     */
    record Created(Optional<FileHandle> handle, Optional<FileAttributes> attributes) {}

    /**
     * Makes a regular file.
     *
     * @param isNew whether a file that is there is a failure: {@link Status#EXIST}. From version 4
     *     on the file of a call that is sent again, because nobody knows what became of it, is
     *     none: the server knows the files of a call (RFC 8881, Section 18.16.3). If not new, the
     *     file that is there stays as it is, but for the size if the attributes have one, which is
     *     0 then.
     */
    Created makeFile(RemotePlace place, AttributeChanges attributes, boolean isNew, String what)
            throws IOException, InterruptedException;

    /** An open file, and what it was when it was opened. */
    record Opened(OpenFile open, RemoteFile file) {}

    /**
     * Makes a regular file and opens it, also if its mode forbids that, or opens one that is there.
     *
     * @param isNew as of {@link #makeFile}
     * @return the file, to be closed by the caller
     * @throws IOException also if the server does not tell what it made, and the file of that name
     *     may be another one
     */
    Opened makeOpen(
            RemotePlace place,
            AttributeChanges attributes,
            boolean isNew,
            OpenFile.Mode mode,
            String what)
            throws IOException, InterruptedException;

    /** Returns whether {@link #makeFilled} is there: the version makes and fills a file at once. */
    default boolean makesFilled() {
        return false;
    }

    /**
     * Makes a regular file that must not exist, with its first bytes, in one call. No other user
     * can open it before it has its mode.
     *
     * @param data native memory; it belongs to the transport until this method returns
     * @throws OutcomeUnknownException if nobody can tell whether the file of that name is this one
     * @throws IllegalStateException if the version cannot
     */
    default Filled makeFilled(
            RemotePlace place, AttributeChanges attributes, MemorySegment data, String what)
            throws IOException, InterruptedException {
        throw new IllegalStateException("version " + version().words() + " fills files by WRITE");
    }

    /**
     * A new file.
     *
     * @param written what the server has written of its bytes; it was asked for stable storage
     * @param left what the caller has to set still, with the next change: the times may be no times
     *     (RFC 8881, Section 18.16.3)
     */
    record Filled(RemoteFile file, Written written, AttributeChanges left) {}

    /** Makes a directory. */
    Created makeDirectory(RemotePlace place, AttributeChanges attributes, String what)
            throws IOException, InterruptedException;

    /** Makes a symbolic link of any text. */
    Created makeLink(RemotePlace place, PathName text, String what)
            throws IOException, InterruptedException;

    /**
     * Makes a device, a socket or a FIFO.
     *
     * @param deviceMajor the major number of a device; 0 for others
     * @param deviceMinor the minor number of a device; 0 for others
     */
    Created makeNode(
            RemotePlace place,
            FileType type,
            AttributeChanges attributes,
            int deviceMajor,
            int deviceMinor,
            String what)
            throws IOException, InterruptedException;

    /** Gives a file one more name. */
    void link(FileHandle file, RemotePlace place, String what)
            throws IOException, InterruptedException;

    /** Removes a name of a file that is no directory. */
    void remove(RemotePlace place, String what) throws IOException, InterruptedException;

    /** Removes an empty directory. */
    void removeDirectory(RemotePlace place, String what) throws IOException, InterruptedException;

    /** Moves a file to another name, in place of a file that has it. */
    void rename(RemotePlace from, RemotePlace to, String what)
            throws IOException, InterruptedException;

    /**
     * Changes attributes of a file and renames it, in no order that could be relied on. If both
     * fail, the first failure is told.
     *
     * @param changing for the message of a failure of the change: {@code "cannot set the
     *     permissions of /a/b"}
     * @param what for the message of a failure of the renaming
     */
    default void changeAndRename(
            FileHandle file,
            AttributeChanges changes,
            RemotePlace from,
            RemotePlace to,
            String changing,
            String what)
            throws IOException, InterruptedException {
        try (var both = pipeline()) {
            both.change(file, changes, changing);
            both.rename(from, to, what);
            // To cancel one could cost the connection, which others share.
            NfsException failure = null;
            boolean callsLeft = true;
            while (callsLeft) {
                try {
                    callsLeft = both.poll();
                } catch (NfsException refused) {
                    failure = failure == null ? refused : failure;
                }
            }
            if (failure != null) {
                throw failure;
            }
        }
    }

    /**
     * Returns the access control lists of a file.
     *
     * @param mask which lists: bits of {@link AclLists}
     * @param entries the most entries of each list that there is room for
     * @throws RpcException.TransportRefused if the lists may be longer
     * @throws RpcException.Refused if the server has no such lists
     * @throws NfsException {@link Status#NOTSUPP} if the file system has none, {@link Status#INVAL}
     *     if no lists of Linux say what those of the file say
     */
    AclLists acls(FileHandle file, int mask, int entries, String what)
            throws IOException, InterruptedException;

    /**
     * Replaces the access control lists of a file.
     *
     * @throws RpcException.Refused if the server has no such lists
     */
    void changeAcls(FileHandle file, AclLists lists, String what)
            throws IOException, InterruptedException;

    /** Returns the access control lists of files as version 4 of NFS has them. */
    AccessLists accessLists();

    /** Returns the extended attributes of files. */
    FileXattrs xattrs();

    /**
     * Begins a pipeline: one thread keeps several calls outstanding without waiting for each.
     *
     * @return the pipeline, to be closed before this service
     */
    FilePipeline pipeline();

    /** Closes the connections. */
    @Override
    void close();
}
