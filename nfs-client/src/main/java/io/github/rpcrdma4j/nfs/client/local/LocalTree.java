package io.github.rpcrdma4j.nfs.client.local;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.v3.FileType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A directory of this machine with all below it. Links are never followed: neither on the way to a
 * file nor at its end; only the path that the tree is opened at may lead over links. No operation
 * leaves the directory, whatever other processes do to it meanwhile, where the system can promise
 * that (Linux can). Thread-safe.
 *
 * <p>Every operation takes {@code what}, what is to be done in words for a message: {@code "cannot
 * write /a/b"}. All throw a {@link LocalException} with it if this machine refuses.
 */
public interface LocalTree extends AutoCloseable {
    /**
     * Opens a directory.
     *
     * @param directory links on its way and at its end are followed
     */
    static LocalTree open(Path directory, String what) throws IOException {
        return LocalTrees.open(directory, what);
    }

    /** The path that the tree was opened at, for messages. */
    Path root();

    /** What this machine tells of a file; a link is not followed. */
    LocalStatus status(LocalPath file, String what) throws IOException;

    /** What this machine tells of a file, if there is one. */
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

    /** The names in a directory, but for {@code "."} and {@code ".."}, in no order. */
    List<FileName> list(LocalPath directory, String what) throws IOException;

    /**
     * Opens a regular file to read it. A FIFO or device that takes its place meanwhile is neither
     * opened nor waited for.
     *
     * @throws LocalException also if it is no regular file
     */
    LocalFile read(LocalPath file, String what) throws IOException;

    /**
     * Makes a regular file and opens it to write it. It must not exist.
     *
     * @param mode the permission bits that it has exactly; the umask takes nothing
     */
    LocalFile create(LocalPath file, int mode, String what) throws IOException;

    /**
     * Makes a directory, which must not exist.
     *
     * @param mode the permission bits that it has at most
     */
    void makeDirectory(LocalPath directory, int mode, String what) throws IOException;

    /** Makes a symbolic link with a text of any bytes. The name must not exist. */
    void makeLink(LocalPath link, PathName text, String what) throws IOException;

    /**
     * Makes a FIFO, a socket or a device. The name must not exist.
     *
     * @param mode the permission bits that it has at most
     * @param major of a device; else 0
     * @param minor of a device; else 0
     * @throws LocalException with {@link LocalException.Reason#UNSUPPORTED} where this cannot be
     *     done
     */
    void makeNode(LocalPath node, FileType type, int mode, int major, int minor, String what)
            throws IOException;

    /** The text of a symbolic link. */
    PathName readLink(LocalPath link, String what) throws IOException;

    /** Gives a file another name, which must not exist. A link is not followed. */
    void link(LocalPath existing, LocalPath name, String what) throws IOException;

    /** Renames; a file or link of the new name is replaced, a directory is not. */
    void rename(LocalPath from, LocalPath to, String what) throws IOException;

    /** Removes a name that is no directory; not even an empty directory is removed. */
    void remove(LocalPath file, String what) throws IOException;

    /**
     * Changes attributes of a file that this program made, or of a directory; of a link its own, as
     * far as links have any. A file of another type, or one of several names, is not that file:
     * another process put it there, and perhaps has no right to change it itself.
     *
     * @param type of the file that was made
     * @throws LocalException with {@link LocalException.Reason#NOT_PERMITTED} if the owner cannot
     *     be changed; with {@link LocalException.Reason#OTHER} if the file is another one; then
     *     nothing has been changed
     */
    void change(LocalPath file, FileType type, LocalChanges changes, String what)
            throws IOException;

    /** Gives back what the tree holds; files that are open stay open. */
    @Override
    void close();
}
