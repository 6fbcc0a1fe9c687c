package io.github.rpcrdma4j.nfs.client.local;

import io.github.rpcrdma4j.linux.SystemCalls;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.local.LocalException.Reason;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Chooses the implementation of {@link LocalTree} for a directory, and holds checks common to both.
 */
final class LocalTrees {
    private LocalTrees() {}

    static LocalTree open(Path directory, String what) throws IOException {
        if (SystemCalls.missing().isEmpty()
                && directory.getFileSystem().equals(FileSystems.getDefault())) {
            Optional<LinuxTree> tree = LinuxTree.open(directory, what);
            if (tree.isPresent()) {
                return tree.get();
            }
        }
        return NioTree.open(directory, what);
    }

    /** Opens a directory; the path of the tree is the real one, if the system tells it. */
    static LocalTree openReal(Path directory, String what) throws IOException {
        var tree = open(directory, what);
        return tree instanceof LinuxTree linux
                ? linux.withRealPath()
                : NioTree.openReal(directory, what);
    }

    /**
     * Refuses to rename a directory to a name below itself. Systems report this case differently.
     *
     * @throws LocalException if the new name is below the directory
     */
    static void requireNotBelow(LocalPath from, LocalPath to, String what) throws LocalException {
        var at = to;
        while (at.depth() > from.depth()) {
            at = at.directory();
        }
        if (to.depth() > from.depth() && at.names().equals(from.names())) {
            throw new LocalException(
                    what, Reason.OTHER, "a directory cannot be moved below itself");
        }
    }

    /**
     * Refuses to change a file that another process put in the place of a copied file. A new file
     * has one name; a second name shows that the file existed before.
     *
     * @param type of the copied file
     */
    static void requireUnreplaced(FileType type, LocalStatus now, String what)
            throws LocalException {
        if (now.type() != type || type != FileType.DIRECTORY && now.links() > 1) {
            throw new LocalException(what, Reason.OTHER, "another file has taken its place");
        }
    }

    /** Decides whether the file that has a name now may be changed. */
    interface Check {
        void require(LocalStatus now, String what) throws LocalException;
    }

    /** Returns the check for a file that this program made. */
    static Check made(FileType type) {
        return (now, what) -> requireUnreplaced(type, now, what);
    }

    /** Returns the check for a file that was found. */
    static Check found(LocalStatus file) {
        return (now, what) -> {
            requireUnreplaced(file.type(), now, what);
            requireSame(file, now, what);
        };
    }

    /** Refuses a file that is not the one which was found under its name. */
    static void requireSame(LocalStatus found, LocalStatus now, String what) throws LocalException {
        if (!found.isSameFile(now)) {
            throw new LocalException(what, Reason.OTHER, "another file has taken its place");
        }
    }

    /** Returns a tree that an operation takes together with another one of its kind. */
    static <T extends LocalTree> T ofKind(Class<T> kind, LocalTree tree) {
        if (!kind.isInstance(tree)) {
            throw new IllegalArgumentException("a tree of another kind");
        }
        return kind.cast(tree);
    }

    /** Refuses lists where the system has none. */
    static void requireNone(ExtendedAcls acls, String what) throws LocalException {
        if (!acls.isNone()) {
            throw new LocalException(what, Reason.UNSUPPORTED);
        }
    }

    /**
     * Refuses extended attributes where the system has none.
     *
     * @param name of the file
     */
    static void requireNone(UserXattrs xattrs, String name) throws LocalException {
        if (!xattrs.isNone()) {
            throw new LocalException("cannot keep the attributes of " + name, Reason.UNSUPPORTED);
        }
    }

    /** Refuses the owner or group -1, which system calls take as "unchanged". */
    static void requireOwners(LocalChanges changes, String what) throws LocalException {
        if (changes.uid().orElse(0) == -1 || changes.gid().orElse(0) == -1) {
            throw new LocalException(what, Reason.NOT_PERMITTED, "no owner has this number");
        }
    }
}
