package io.github.rpcrdma4j.nfs.server.stable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Map;

/**
 * Checks that no other user than root can put a file or a link in the place of one that this
 * process uses: neither there, nor in a directory that leads there.
 *
 * <p>A file or link belongs to this user or to root. So does each directory on the way, and others
 * may write to it only if it is sticky. The group may write only to what is root's: the system
 * makes such directories. A group of the user's own is no exception: with an access control list,
 * its bits are those of all whom the list names. A file has one name: another user can have given a
 * second name to a file of this one. On file systems without owners, nothing is checked.
 */
public final class OwnFiles {
    private static final int OTHERS_WRITE = 02;
    private static final int GROUP_WRITE = 020;
    private static final int OTHERS = 077;
    private static final int STICKY = 01000;
    private static final int ROOT = 0;

    /** As many links as Linux follows. */
    private static final int LINKS_MAX = 40;

    private OwnFiles() {}

    /** What a file system tells of the owner of a file. */
    record Owned(int uid, int mode, int links) {
        static Owned of(Path path) throws IOException {
            var all = Files.readAttributes(path, "unix:uid,mode,nlink", LinkOption.NOFOLLOW_LINKS);
            return new Owned(number(all, "uid"), number(all, "mode"), number(all, "nlink"));
        }

        /** Returns whether others than its owner and root may write to it. */
        boolean isOpen() {
            return may(OTHERS_WRITE) || may(GROUP_WRITE) && uid != ROOT;
        }

        /** Returns whether others than its owner and root may use it in any way. */
        boolean isShared() {
            return may(OTHERS);
        }

        private static int number(Map<String, Object> all, String name) {
            return (int) all.get(name);
        }

        private boolean may(int bits) {
            return (mode & bits) != 0;
        }
    }

    /**
     * Checks a file or a directory, and all that leads there. It need not exist.
     *
     * @return its path without links
     * @throws IOException if another user may change what is there; the message is one line
     */
    public static Path require(Path path) throws IOException {
        return require(path, false);
    }

    /**
     * Checks a directory that no other user may even read, and all that leads there. It need not
     * exist.
     *
     * @return its path without links
     * @throws IOException if another user may use the directory, or change what leads there; the
     *     message is one line
     */
    static Path requirePrivate(Path path) throws IOException {
        return require(path, true);
    }

    private static Path require(Path path, boolean isPrivate) throws IOException {
        var absolute = path.toAbsolutePath();
        if (!absolute.getFileSystem().supportedFileAttributeViews().contains("unix")) {
            return absolute;
        }
        int user = user();
        var at = absolute.getRoot();
        requireDirectory(at, user);
        var left = new ArrayDeque<Path>();
        absolute.forEach(left::addLast);
        for (int links = 0; !left.isEmpty(); ) {
            var name = left.removeFirst().toString();
            if (name.equals("..")) {
                at = at.getParent() == null ? at : at.getParent();
                continue;
            }
            var next = name.equals(".") || name.isEmpty() ? at : at.resolve(name);
            if (Files.isSymbolicLink(next)) {
                requireOwner(next, user);
                if (++links > LINKS_MAX) {
                    throw new IOException(path + ": too many links lead there");
                }
                var text = Files.readSymbolicLink(next);
                at = text.isAbsolute() ? text.getRoot() : at;
                for (int i = text.getNameCount() - 1; i >= 0; i--) {
                    left.addFirst(text.getName(i));
                }
            } else {
                at = next;
                requireAny(at, user, isPrivate && left.isEmpty());
            }
        }
        return at;
    }

    /** Returns the user of this process, as the file system knows it. */
    private static int user() throws IOException {
        return Owned.of(Path.of("/proc/self").toRealPath()).uid;
    }

    private static void requireAny(Path path, int user, boolean isPrivate) throws IOException {
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            if (isPrivate && requireOwner(path, user).isShared()) {
                throw isOpen(path, "700");
            }
            requireDirectory(path, user);
            return;
        }
        try {
            var owned = requireOwner(path, user);
            requireClosed(path, owned);
            if (owned.links > 1) {
                throw new IOException(
                        "%s has %d names, and one may be another user's: remove the other ones"
                                .formatted(path, owned.links));
            }
        } catch (NoSuchFileException _) {
            // It will be made, with the right of its directory.
        }
    }

    private static Owned requireOwner(Path path, int user) throws IOException {
        var owned = Owned.of(path);
        if (owned.uid != user && owned.uid != ROOT && owned.uid != Owned.of(path.getRoot()).uid) {
            throw new IOException(
                    "%s belongs to user %s, who can change what is there"
                            .formatted(path, Integer.toUnsignedString(owned.uid)));
        }
        return owned;
    }

    private static void requireDirectory(Path path, int user) throws IOException {
        var owned = requireOwner(path, user);
        if (!owned.may(STICKY)) {
            requireClosed(path, owned);
        }
    }

    private static void requireClosed(Path path, Owned owned) throws IOException {
        if (owned.isOpen()) {
            throw isOpen(path, "go-w");
        }
    }

    private static IOException isOpen(Path path, String mode) {
        return new IOException(
                "%s is open to other users: chmod %s %s".formatted(path, mode, path));
    }
}
