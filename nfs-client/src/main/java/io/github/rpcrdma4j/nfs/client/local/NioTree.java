package io.github.rpcrdma4j.nfs.client.local;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.local.LocalException.Reason;
import java.io.IOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A directory tree of any Java file system, based on paths. Before each operation it checks that no
 * directory on the path is a link. A change by another process between check and operation goes
 * unnoticed, because paths allow no better check.
 *
 * <p>Tests: {@code NioTreeTest}, {@code NioTreeInMemoryTest}.
 */
final class NioTree implements LocalTree {
    private static final boolean IS_LINUX = "Linux".equals(System.getProperty("os.name"));

    private final Path root;
    private final boolean isDefault;
    private final NioNames names;
    private final NioAttributes attributes;
    private volatile boolean closed;

    /** Whether links may lead to the root. */
    private final boolean isFollowed;

    private NioTree(Path root, boolean isFollowed) {
        var system = root.getFileSystem();
        this.root = root;
        this.isFollowed = isFollowed;
        this.isDefault = system.equals(FileSystems.getDefault());
        this.names = new NioNames(system);
        this.attributes = new NioAttributes(system);
    }

    static LocalTree open(Path directory, String what) throws IOException {
        try {
            if (!Files.readAttributes(directory, BasicFileAttributes.class).isDirectory()) {
                throw new NotDirectoryException(directory.toString());
            }
        } catch (IOException | RuntimeException failure) {
            throw NioFailures.of(failure, what);
        }
        return new NioTree(directory, true);
    }

    /** Opens a directory by its real path. */
    static LocalTree openReal(Path directory, String what) throws IOException {
        try {
            return open(directory.toRealPath(), what);
        } catch (LocalException failure) {
            throw failure;
        } catch (IOException | RuntimeException failure) {
            throw NioFailures.of(failure, what);
        }
    }

    /** An operation on one path. */
    private interface Work<R> {
        R run(Path path) throws IOException;
    }

    private <R> R at(LocalPath file, String what, Work<R> work) throws IOException {
        if (closed) {
            throw new IllegalStateException("closed already");
        }
        try {
            return work.run(path(file, what));
        } catch (IOException | RuntimeException failure) {
            throw NioFailures.of(failure, what);
        }
    }

    private Path path(LocalPath file, String what) throws IOException {
        var path = root;
        for (var name : file.names()) {
            if (path != root) {
                requireDirectory(path, what);
            }
            path = path.resolve(names.path(name, what));
        }
        return path;
    }

    private static void requireDirectory(Path path, String what) throws IOException {
        var found =
                Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        // On Windows, junctions look like directories.
        if (found.isSymbolicLink() || found.isDirectory() && found.isOther()) {
            throw new LocalException(what, Reason.LINK);
        }
        if (!found.isDirectory()) {
            throw new LocalException(what, Reason.NOT_A_DIRECTORY);
        }
    }

    /** Runs an operation on a name in the tree; the root has none. */
    private <R> R atName(LocalPath file, String what, Work<R> work) throws IOException {
        if (file.isRoot()) {
            throw new IllegalStateException("the root of a tree lies in no directory of it");
        }
        return at(file, what, work);
    }

    @Override
    public Path root() {
        return root;
    }

    @Override
    public LocalStatus status(LocalPath file, String what) throws IOException {
        return at(file, what, this::ownStatus);
    }

    /** Returns the status of a file. */
    private LocalStatus ownStatus(Path path) throws IOException {
        return attributes.status(real(path));
    }

    private Path real(Path path) throws IOException {
        return isFollowed && path.equals(root) ? path.toRealPath() : path;
    }

    @Override
    public List<FileName> list(LocalPath directory, Room room, String what) throws IOException {
        return at(
                directory,
                what,
                path -> {
                    if (path != root) {
                        requireDirectory(path, what);
                    }
                    var found = new ArrayList<FileName>();
                    try (var entries = Files.newDirectoryStream(path)) {
                        for (var each : entries) {
                            var name = names.name(each.getFileName(), what);
                            room.take(name, found.size());
                            found.add(name);
                        }
                    } catch (DirectoryIteratorException failure) {
                        throw failure.getCause();
                    }
                    return found;
                });
    }

    @Override
    public LocalFile read(LocalPath file, String what) throws IOException {
        return at(
                file,
                what,
                path -> {
                    var status = ownStatus(path);
                    LocalFileRules.requireRegular(status.type(), what);
                    return NioFile.read(path, attributes, status, what);
                });
    }

    @Override
    public LocalFile create(LocalPath file, int mode, String what) throws IOException {
        return atName(file, what, path -> NioFile.create(path, attributes, mode, what));
    }

    @Override
    public void makeDirectory(LocalPath directory, int mode, String what) throws IOException {
        atName(directory, what, path -> Files.createDirectory(path, attributes.atFirst(mode)));
    }

    @Override
    public void makeLink(LocalPath link, PathName text, String what) throws IOException {
        atName(link, what, path -> Files.createSymbolicLink(path, names.target(text, what)));
    }

    @Override
    public void makeNode(LocalPath node, FileType type, int mode, int major, int minor, String what)
            throws IOException {
        switch (type) {
            case REGULAR, DIRECTORY, SYMBOLIC_LINK ->
                    throw new IllegalArgumentException("not a node: " + type);
            case FIFO, SOCKET, BLOCK_DEVICE, CHARACTER_DEVICE ->
                    throw new LocalException(what, Reason.UNSUPPORTED);
        }
    }

    @Override
    public PathName readLink(LocalPath link, String what) throws IOException {
        return at(link, what, path -> names.text(Files.readSymbolicLink(path), what));
    }

    @Override
    public PathName readLink(LocalPath link, LocalStatus found, String what) throws IOException {
        LocalTrees.requireSame(found, status(link, what), what);
        return readLink(link, what);
    }

    @Override
    public PathInTree follow(LocalPath link, String what) throws IOException {
        var file = atName(link, what, Path::toRealPath);
        if (Files.isDirectory(file)) {
            throw new LocalException(what, Reason.IS_A_DIRECTORY);
        }
        var path = LocalPath.ROOT.child(names.name(file.getFileName(), what));
        return new PathInTree(open(file.getParent(), what), path);
    }

    @Override
    public void link(LocalTree other, LocalPath existing, LocalPath name, String what)
            throws IOException {
        NioTree tree = LocalTrees.ofKind(NioTree.class, other);
        tree.atName(
                existing,
                what,
                path -> {
                    var type = attributes.status(path).type();
                    if (type == FileType.DIRECTORY) {
                        throw new LocalException(what, Reason.NOT_PERMITTED);
                    }
                    if (type == FileType.SYMBOLIC_LINK && !(isDefault && IS_LINUX)) {
                        // Other systems link to the file that the symbolic link leads to.
                        throw new LocalException(what, Reason.UNSUPPORTED);
                    }
                    return atName(name, what, made -> Files.createLink(made, path));
                });
    }

    @Override
    public void rename(LocalPath from, LocalPath to, String what) throws IOException {
        atName(
                from,
                what,
                path -> {
                    boolean isDirectory = attributes.status(path).isDirectory();
                    if (isDirectory) {
                        LocalTrees.requireNotBelow(from, to, what);
                    }
                    return atName(to, what, newPath -> rename(path, isDirectory, newPath, what));
                });
    }

    private Path rename(Path path, boolean isDirectory, Path newPath, String what)
            throws IOException {
        if (Files.exists(newPath, LinkOption.NOFOLLOW_LINKS)) {
            if (attributes.status(newPath).isDirectory()) {
                throw new LocalException(what, Reason.IS_A_DIRECTORY);
            }
            if (isDirectory) {
                throw new LocalException(what, Reason.NOT_A_DIRECTORY);
            }
        }
        try {
            return Files.move(
                    path,
                    newPath,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } catch (AtomicMoveNotSupportedException | UnsupportedOperationException refused) {
            if (isDefault) {
                throw refused;
            }
            return Files.move(path, newPath, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    @Override
    public void remove(LocalPath file, String what) throws IOException {
        atName(
                file,
                what,
                path -> {
                    if (attributes.status(path).isDirectory()) {
                        throw new LocalException(what, Reason.IS_A_DIRECTORY);
                    }
                    Files.delete(path);
                    return null;
                });
    }

    @Override
    public void removeDirectory(LocalPath directory, String what) throws IOException {
        atName(
                directory,
                what,
                path -> {
                    if (!attributes.status(path).isDirectory()) {
                        throw new LocalException(what, Reason.NOT_A_DIRECTORY);
                    }
                    Files.delete(path);
                    return null;
                });
    }

    @Override
    public void change(LocalPath file, FileType type, LocalChanges changes, String what)
            throws IOException {
        change(file, LocalTrees.made(type), changes, what);
    }

    @Override
    public void change(LocalPath file, LocalStatus found, LocalChanges changes, String what)
            throws IOException {
        change(file, LocalTrees.found(found), changes, what);
    }

    private void change(LocalPath file, LocalTrees.Check check, LocalChanges changes, String what)
            throws IOException {
        at(
                file,
                what,
                path -> {
                    check.require(ownStatus(path), what);
                    attributes.change(real(path), changes, what);
                    return null;
                });
    }

    @Override
    public LocalTree below(LocalPath directory, LocalStatus found, String what) throws IOException {
        return at(
                directory,
                what,
                path -> {
                    LocalTrees.requireSame(found, ownStatus(path), what);
                    return new NioTree(path, path == root && isFollowed);
                });
    }

    @Override
    public ExtendedAcls acls(LocalPath file, String what) {
        return ExtendedAcls.NONE;
    }

    @Override
    public ExtendedAcls acls(LocalPath file, LocalStatus found, String what) throws IOException {
        LocalTrees.requireSame(found, status(file, what), what);
        return ExtendedAcls.NONE;
    }

    @Override
    public void setAcls(LocalPath file, FileType type, ExtendedAcls acls, String what)
            throws LocalException {
        LocalTrees.requireNone(acls, what);
    }

    @Override
    public void setAcls(LocalPath file, LocalStatus found, ExtendedAcls acls, String what)
            throws LocalException {
        LocalTrees.requireNone(acls, what);
    }

    @Override
    public Optional<UserXattrs> xattrs(LocalPath file, LocalStatus found, String what) {
        return Optional.empty();
    }

    @Override
    public void setXattrs(LocalPath file, LocalStatus found, UserXattrs xattrs, String name)
            throws LocalException {
        LocalTrees.requireNone(xattrs, name);
    }

    @Override
    public void close() {
        closed = true;
    }
}
