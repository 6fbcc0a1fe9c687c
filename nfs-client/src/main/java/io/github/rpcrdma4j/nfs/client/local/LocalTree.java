package io.github.rpcrdma4j.nfs.client.local;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A local directory with everything below it. Links are never followed, neither within a path nor
 * at its end. Only the path at which the tree is opened may lead through links. No operation leaves
 * the directory, even if other processes change it, where the system can ensure that (Linux can).
 * Thread-safe.
 *
 * <p>Every operation takes {@code what}, the words of an error message: {@code "cannot write
 * /a/b"}. All throw a {@link LocalException} with it if this machine refuses.
 *
 * <p>Tests: {@code LinuxTreeTest}, {@code NioTreeTest}.
 */
public interface LocalTree extends AutoCloseable {
    /**
     * Opens a directory.
     *
     * @param directory links in the path and at its end are followed
     */
    static LocalTree open(Path directory, String what) throws IOException {
        return LocalTrees.open(directory, what);
    }

    /**
     * Opens a directory under its real path, if the system tells it.
     *
     * @param directory links in the path and at its end are followed
     */
    static LocalTree openReal(Path directory, String what) throws IOException {
        return LocalTrees.openReal(directory, what);
    }

    /**
     * Opens a directory of this tree as a tree of its own. Its operations stay in that directory
     * also if its name leads elsewhere later.
     *
     * @param found the directory when it was found
     * @throws LocalException with {@link LocalException.Reason#OTHER} if another file has the name
     *     now
     */
    LocalTree below(LocalPath directory, LocalStatus found, String what) throws IOException;

    /** Returns the path at which the tree was opened, for messages. */
    Path root();

    /** Returns the attributes of a file; a link is not followed. */
    LocalStatus status(LocalPath file, String what) throws IOException;

    /** Returns the attributes of a file, or empty if it does not exist. */
    default Optional<LocalStatus> find(LocalPath file, String what) throws IOException {
        try {
            return Optional.of(status(file, what));
        } catch (LocalException missing) {
            if (missing.reason() == LocalException.Reason.MISSING) {
                return Optional.empty();
            }
            throw missing;
        }
    }

    /** Decides whether there is memory for one more name of a directory. */
    interface Room {
        /**
         * Takes the memory of a name.
         *
         * @param before how many names of the directory have theirs
         * @throws LocalException if there is none
         */
        void take(FileName name, int before) throws LocalException;
    }

    /**
     * Returns the names in a directory, except {@code "."} and {@code ".."}, in no order. Other
     * users of this machine choose how many there are.
     *
     * @param room is asked for each
     */
    List<FileName> list(LocalPath directory, Room room, String what) throws IOException;

    /**
     * Opens a regular file for reading. A FIFO or device that takes its place in the meantime is
     * not opened, so this does not block.
     *
     * @throws LocalException also if it is not a regular file
     */
    LocalFile read(LocalPath file, String what) throws IOException;

    /**
     * Makes a regular file and opens it for writing. The file must not exist.
     *
     * @param mode its exact permission bits; the umask does not apply
     */
    LocalFile create(LocalPath file, int mode, String what) throws IOException;

    /**
     * Opens a regular file for writing, with its contents. A FIFO or device that takes its place in
     * the meantime is not opened.
     *
     * @throws LocalException with {@link LocalException.Reason#UNSUPPORTED} if the system cannot
     *     ensure that
     */
    default LocalFile reopen(LocalPath file, String what) throws IOException {
        throw new LocalException(what, LocalException.Reason.UNSUPPORTED);
    }

    /**
     * Makes a directory, which must not exist.
     *
     * @param mode the most permission bits that it gets; the umask applies
     */
    void makeDirectory(LocalPath directory, int mode, String what) throws IOException;

    /** Makes a symbolic link; its text may hold any bytes. The link must not exist. */
    void makeLink(LocalPath link, PathName text, String what) throws IOException;

    /**
     * Makes a FIFO, a socket or a device, which must not exist.
     *
     * @param mode the most permission bits that it gets; the umask applies
     * @param major of a device; else 0
     * @param minor of a device; else 0
     * @throws LocalException with {@link LocalException.Reason#UNSUPPORTED} if the system does not
     *     support it
     */
    void makeNode(LocalPath node, FileType type, int mode, int major, int minor, String what)
            throws IOException;

    /** Returns the text of a symbolic link. */
    PathName readLink(LocalPath link, String what) throws IOException;

    /**
     * Returns the text of the symbolic link that was found under a name.
     *
     * @throws LocalException with {@link LocalException.Reason#OTHER} if another file has the name
     *     now
     */
    PathName readLink(LocalPath link, LocalStatus found, String what) throws IOException;

    /**
     * Opens the directory that holds the file to which a symbolic link leads. It may lie outside of
     * this tree. The system follows the link, with its rules for links.
     *
     * @throws LocalException also if the link leads to no file or to a directory, or if another
     *     process moves the file at that moment
     */
    PathInTree follow(LocalPath link, String what) throws IOException;

    /** Adds a hard link to a file. The new name must not exist. A symbolic link is not followed. */
    default void link(LocalPath existing, LocalPath name, String what) throws IOException {
        link(this, existing, name, what);
    }

    /**
     * Adds a hard link in this tree to a file of another tree. The new name must not exist. A
     * symbolic link is not followed.
     *
     * @param other a tree that was opened as this one was, or is below the same tree
     */
    void link(LocalTree other, LocalPath existing, LocalPath name, String what) throws IOException;

    /** Renames a file. An existing file or link of the new name is replaced, a directory is not. */
    void rename(LocalPath from, LocalPath to, String what) throws IOException;

    /** Removes a file or link. It removes no directory, not even an empty one. */
    void remove(LocalPath file, String what) throws IOException;

    /** Removes an empty directory, but no file and no link. */
    void removeDirectory(LocalPath directory, String what) throws IOException;

    /**
     * Changes attributes of a file that this program made, or of a directory. For a link it changes
     * those of the link itself, as far as links have any. It refuses a file of another type or with
     * several names: another process put it there, perhaps without the right to change it itself.
     *
     * @param type of the file that this program made
     * @throws LocalException with {@link LocalException.Reason#NOT_PERMITTED} if the owner cannot
     *     be changed; with {@link LocalException.Reason#OTHER} if it is another file; nothing has
     *     been changed then
     */
    void change(LocalPath file, FileType type, LocalChanges changes, String what)
            throws IOException;

    /**
     * Changes attributes of the file that was found under a name, as the method above does. It
     * refuses any other file that has the name now.
     *
     * @param found the file when it was made, or found
     */
    void change(LocalPath file, LocalStatus found, LocalChanges changes, String what)
            throws IOException;

    /**
     * Returns the access control lists of a file. There are none if the system does not keep them;
     * a link has none.
     */
    ExtendedAcls acls(LocalPath file, String what) throws IOException;

    /**
     * Returns the access control lists of the file that was found under a name.
     *
     * @throws LocalException with {@link LocalException.Reason#OTHER} if another file has the name
     *     now
     */
    ExtendedAcls acls(LocalPath file, LocalStatus found, String what) throws IOException;

    /**
     * Replaces both access control lists of a file that this program made, or of a directory. It
     * refuses what {@link #change} refuses.
     *
     * @throws LocalException with {@link LocalException.Reason#UNSUPPORTED} if the file system does
     *     not keep these; then there is no list. To replace them by none is always possible.
     */
    void setAcls(LocalPath file, FileType type, ExtendedAcls acls, String what) throws IOException;

    /**
     * Replaces both access control lists of the file that was found under a name, as the method
     * above does. It refuses what {@link #change(LocalPath, LocalStatus, LocalChanges, String)}
     * refuses.
     *
     * @param found the file when it was made, or found
     */
    void setAcls(LocalPath file, LocalStatus found, ExtendedAcls acls, String what)
            throws IOException;

    /**
     * Returns the extended attributes of users of the file that was found under a name; empty if
     * this system has none.
     *
     * @throws LocalException with {@link LocalException.Reason#OTHER} if another file has the name
     *     now
     */
    Optional<UserXattrs> xattrs(LocalPath file, LocalStatus found, String what) throws IOException;

    /**
     * Makes the file that was found under a name have these extended attributes of users, and no
     * others. Those of other namespaces stay. If one cannot be set, the others are set all the
     * same. It refuses what {@link #change(LocalPath, LocalStatus, LocalChanges, String)} refuses.
     *
     * @param name of the file, for messages
     * @throws LocalException with {@link LocalException.Reason#UNSUPPORTED} if the system or the
     *     file system has none
     */
    void setXattrs(LocalPath file, LocalStatus found, UserXattrs xattrs, String name)
            throws IOException;

    /** Closes the tree. Open files stay open. */
    @Override
    void close();
}
