package io.github.rpcrdma4j.nfs.store;

import io.github.rpcrdma4j.nfs.FileType;
import java.util.Optional;

/**
 * The attributes of a file.
 *
 * @param type whether it is a file, a directory, a link or something else
 * @param mode permissions, with set-user-ID, set-group-ID and sticky: 12 bits
 * @param links the number of names of the file
 * @param uid the user that owns the file
 * @param gid the group that owns the file
 * @param size in bytes
 * @param used the storage that the file takes, in bytes
 * @param major the major number of a device file, else 0
 * @param minor the minor number of a device file, else 0
 * @param fileSystem the id of the file system for clients, equal for all its files
 * @param number the inode number
 * @param mountedOn the inode number of the directory that a mounted file system covers, for the
 *     root of that file system; otherwise {@code number}
 * @param accessed when it was last read
 * @param modified when its content last changed
 * @param changed when content or attributes last changed; it differs after each change, since
 *     clients take equal ones for no change
 * @param born when it was made; empty if the file system does not record it
 */
public record FileStatus(
        FileType type,
        int mode,
        int links,
        int uid,
        int gid,
        long size,
        long used,
        int major,
        int minor,
        long fileSystem,
        long number,
        long mountedOn,
        Time accessed,
        Time modified,
        Time changed,
        Optional<Time> born) {
    /** The bit of the mode by which only owners take names out of a directory. */
    public static final int STICKY = 01000;

    private static final int ALL = Node.READ | Node.WRITE | Node.EXECUTE;
    private static final int USER_SHIFT = 6;
    private static final int GROUP_SHIFT = 3;
    private static final int ANY_EXECUTE = 0111;

    /** Returns whether the file is a directory. */
    public boolean isDirectory() {
        return type == FileType.DIRECTORY;
    }

    /** Returns whether a caller may do what only the owner may: the owner, root and the server. */
    public boolean isOwnedBy(Caller caller) {
        return switch (caller) {
            case Caller.Server _ -> true;
            case Caller.User user -> user.isRoot() || user.uid() == uid;
        };
    }

    /**
     * Returns the rights that the mode gives a caller: bits of {@link Node#access}. Root and the
     * server may do all, but execute no file that nobody may execute.
     */
    public int rights(Caller caller) {
        if (!(caller instanceof Caller.User user) || user.isRoot()) {
            return isDirectory() || (mode & ANY_EXECUTE) != 0 ? ALL : ALL & ~Node.EXECUTE;
        }
        if (user.uid() == uid) {
            return mode >> USER_SHIFT & ALL;
        }
        return (user.isIn(gid) ? mode >> GROUP_SHIFT : mode) & ALL;
    }

    /**
     * Checks that the file has data.
     *
     * @throws StoreException {@link Failure#ISDIR} for a directory, {@link Failure#INVAL} for other
     *     files that are not regular
     */
    public void requireRegular() throws StoreException {
        if (type != FileType.REGULAR) {
            throw new StoreException(isDirectory() ? Failure.ISDIR : Failure.INVAL);
        }
    }

    /**
     * Checks that the file has names of others.
     *
     * @throws StoreException {@link Failure#NOTDIR} if it is no directory
     */
    public void requireDirectory() throws StoreException {
        if (!isDirectory()) {
            throw new StoreException(Failure.NOTDIR);
        }
    }
}
