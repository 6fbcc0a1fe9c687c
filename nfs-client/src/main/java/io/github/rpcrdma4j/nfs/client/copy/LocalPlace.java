package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.file.NameRoom;
import io.github.rpcrdma4j.nfs.client.local.LocalException;
import io.github.rpcrdma4j.nfs.client.local.LocalException.Reason;
import io.github.rpcrdma4j.nfs.client.local.LocalNames;
import io.github.rpcrdma4j.nfs.client.local.LocalPath;
import io.github.rpcrdma4j.nfs.client.local.LocalStatus;
import io.github.rpcrdma4j.nfs.client.local.LocalTree;
import io.github.rpcrdma4j.nfs.client.local.PathInTree;
import io.github.rpcrdma4j.nfs.client.service.NameMemory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * A file or directory of this machine that a user named, or the place for a new one. On Linux the
 * kernel resolves the name once, with its rules for links, when the place is opened: a link that is
 * put there afterwards leads nobody elsewhere. The caller closes the place. Thread-safe.
 *
 * <p>Every operation takes {@code what}, the words of an error message: {@code "cannot write
 * /a/b"}. All throw an {@link IOException} with it, in one line, if this machine refuses.
 */
public final class LocalPlace implements AutoCloseable {
    /**
     * Why what has a name cannot be opened as a directory. The system may refuse to follow a link,
     * which can still be replaced.
     */
    private static final Set<Reason> NO_DIRECTORY =
            EnumSet.of(Reason.MISSING, Reason.NOT_A_DIRECTORY, Reason.LINK, Reason.DENIED);

    private final PathInTree opened;

    private LocalPlace(PathInTree opened) {
        this.opened = opened;
    }

    /**
     * Opens the directory of a file. The file itself need not exist. The root of a file system,
     * which lies in no directory, and the working directory are opened themselves.
     *
     * @param file a link at its end is not followed
     */
    public static LocalPlace open(Path file, String what) throws IOException {
        if (isNameless(file)) {
            return new LocalPlace(new PathInTree(LocalTree.open(file, what), LocalPath.ROOT));
        }
        var path = LocalPath.ROOT.child(LocalNames.of(file.getFileName()));
        return new LocalPlace(new PathInTree(LocalTree.open(holder(file), what), path));
    }

    private static boolean isNameless(Path file) {
        return file.getFileName() == null || file.getFileName().toString().isEmpty();
    }

    /** A relative path stays relative: the working directory may have got another name. */
    private static Path holder(Path file) {
        var parent = file.getParent();
        return parent == null ? file.getFileSystem().getPath("") : parent;
    }

    /**
     * Opens the directory that would hold the directory of a file, which does not exist.
     *
     * @param file neither it nor its directory exists
     */
    static LocalPlace openMissing(Path file, String what) throws IOException {
        return open(file.getParent(), what).child(LocalNames.of(file.getFileName()));
    }

    /**
     * Opens a directory itself, also if a link leads to it; of any other file its directory, as
     * {@link #open} does.
     */
    public static LocalPlace openDirectory(Path file, String what) throws IOException {
        try {
            var tree = LocalTree.openReal(withoutDot(file), what);
            return new LocalPlace(new PathInTree(tree, LocalPath.ROOT));
        } catch (LocalException failure) {
            if (isNameless(file)
                    || LocalNames.of(file.getFileName()).isDots()
                    || !NO_DIRECTORY.contains(failure.reason())) {
                throw failure;
            }
            return open(file, what);
        }
    }

    /** The kernel protects a link only at the end of a path, and not in front of a dot. */
    private static Path withoutDot(Path file) {
        var path = file;
        while (path.endsWith(".")) {
            path = holder(path);
        }
        return path;
    }

    /**
     * Opens a directory itself, and of any other file the directory that really holds it, if a link
     * leads to it. A file that does not exist is opened as {@link #open} does.
     */
    public static LocalPlace follow(Path file, String what) throws IOException {
        var place = openDirectory(file, what);
        boolean isClosed = true;
        try {
            isClosed = place.isLink(what);
            return isClosed ? place.target(what) : place;
        } finally {
            if (isClosed) {
                place.close();
            }
        }
    }

    /**
     * Opens the place to which this link leads. The system follows the link, with its rules for
     * links.
     *
     * @throws IOException also if the link leads to a directory, or to nothing
     */
    public LocalPlace target(String what) throws IOException {
        return new LocalPlace(tree().follow(path(), what));
    }

    /** Returns the place of a name in this directory. It is open as long as this place is. */
    public LocalPlace child(FileName name) {
        return new LocalPlace(new PathInTree(tree(), path().child(name)));
    }

    /** Returns whether this is a directory that is open itself, and not by its name in another. */
    public boolean isOpenDirectory() {
        return path().isRoot();
    }

    /** Returns the type of the file, or empty if it does not exist. */
    public Optional<FileType> type(String what) throws IOException {
        return tree().find(path(), what).map(LocalStatus::type);
    }

    /** Returns whether a link has this name. */
    public boolean isLink(String what) throws IOException {
        return type(what).filter(FileType.SYMBOLIC_LINK::equals).isPresent();
    }

    /** Returns whether nothing is in this directory. */
    public boolean isEmpty(String what) throws IOException {
        try (var names = new NameMemory().share()) {
            return tree().list(path(), new NameRoom(names, what), what).isEmpty();
        }
    }

    /**
     * Makes a directory here, where nothing is.
     *
     * @param mode the most permission bits that it gets; the umask applies
     */
    public void makeDirectory(int mode, String what) throws IOException {
        tree().makeDirectory(path(), mode, what);
    }

    /**
     * Returns the path of the directory that was opened, for messages: the real one, if the system
     * tells it and a link may have led there.
     */
    public Path directory() {
        return tree().root();
    }

    /** Returns the last name of the path; {@code "."} for a directory that is open itself. */
    public FileName name() {
        return path().name();
    }

    LocalTree tree() {
        return opened.tree();
    }

    LocalPath path() {
        return opened.path();
    }

    /** Returns the directory in which temporary files of copies to this place are made. */
    LocalPath holder() {
        return path().isRoot() ? path() : path().directory();
    }

    @Override
    public void close() {
        opened.close();
    }
}
