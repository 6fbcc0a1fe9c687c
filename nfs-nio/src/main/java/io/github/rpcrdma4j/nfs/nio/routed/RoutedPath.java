package io.github.rpcrdma4j.nfs.nio.routed;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.Objects;

/**
 * A path of the default file system: the text is that of a path of this machine. Immutable.
 *
 * <p>Tests: {@code RoutedProviderTest}, {@code RandomOperationsTest}.
 */
final class RoutedPath implements Path {
    private final RoutedFileSystem files;
    private final Path local;

    /** The path at a server that a listing returned, with its attributes; null for none. */
    private final Path listed;

    RoutedPath(RoutedFileSystem files, Path local, Path listed) {
        this.files = files;
        this.local = local;
        this.listed = listed;
    }

    private RoutedPath with(Path other) {
        return other == null ? null : new RoutedPath(files, other, null);
    }

    /**
     * Returns the path of a name that a listing of this directory returned.
     *
     * @param used the path of the file system that was listed
     * @throws InvalidPathException if the name of a server cannot be one of this machine, whose
     *     character set lacks it
     */
    RoutedPath child(Path used) {
        var name = used.getFileName();
        return used.getFileSystem() == local.getFileSystem()
                ? with(local.resolve(name))
                : new RoutedPath(files, local.resolve(name.toString()), used);
    }

    /** Returns the path as one of this machine, even if a server has the file. */
    Path local() {
        return local;
    }

    /** Returns where the server is that has the file, or null. */
    ServerRoute route() {
        return ServerRoute.of(local.toAbsolutePath().toString());
    }

    /**
     * Returns the path that the file system understands which has the file.
     *
     * @throws IOException if the server cannot be reached, or refuses
     */
    Path used() throws IOException {
        if (listed != null && listed.getFileSystem().isOpen()) {
            return listed;
        }
        var route = route();
        if (route == null) {
            return local;
        }
        // Bytes without a character would become another name at the server.
        if (!files.path(local).equals(files.getPath(local.toString()))) {
            throw route.refused("a name is not of the character set of this machine");
        }
        return files.connected(route);
    }

    @Override
    public RoutedFileSystem getFileSystem() {
        return files;
    }

    @Override
    public boolean isAbsolute() {
        return local.isAbsolute();
    }

    @Override
    public Path getRoot() {
        return with(local.getRoot());
    }

    @Override
    public Path getFileName() {
        return with(local.getFileName());
    }

    @Override
    public Path getParent() {
        return with(local.getParent());
    }

    @Override
    public int getNameCount() {
        return local.getNameCount();
    }

    @Override
    public Path getName(int index) {
        return with(local.getName(index));
    }

    @Override
    public Path subpath(int from, int to) {
        return with(local.subpath(from, to));
    }

    @Override
    public boolean startsWith(Path other) {
        Objects.requireNonNull(other, "no other path");
        return other instanceof RoutedPath path && local.startsWith(path.local);
    }

    @Override
    public boolean endsWith(Path other) {
        Objects.requireNonNull(other, "no other path");
        return other instanceof RoutedPath path && local.endsWith(path.local);
    }

    @Override
    public Path normalize() {
        return with(local.normalize());
    }

    @Override
    public Path resolve(Path other) {
        return with(local.resolve(files.own(other).local));
    }

    @Override
    public Path relativize(Path other) {
        return with(local.relativize(files.own(other).local));
    }

    @Override
    public URI toUri() {
        return local.toUri();
    }

    @Override
    public Path toAbsolutePath() {
        return isAbsolute() ? this : with(local.toAbsolutePath());
    }

    @Override
    public Path toRealPath(LinkOption... options) throws IOException {
        var real = used().toRealPath(options);
        var route = route();
        return route == null ? with(real) : files.getPath(route.textOf(real.toString()));
    }

    /**
     * Returns the path for {@code java.io}.
     *
     * @throws UnsupportedOperationException if a server has the file: {@code java.io} would look
     *     for it on this machine
     */
    @Override
    public File toFile() {
        if (route() != null) {
            throw new UnsupportedOperationException("java.io has no files of servers: " + this);
        }
        return new File(local.toString());
    }

    @Override
    public WatchKey register(
            WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers)
            throws IOException {
        if (watcher instanceof RoutedWatchService own) {
            return own.register(this, events, modifiers);
        }
        throw watcher == null
                ? new NullPointerException("no watch service")
                : new ProviderMismatchException("a watch service of another file system");
    }

    @Override
    public int compareTo(Path other) {
        return local.compareTo(((RoutedPath) other).local);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RoutedPath path && local.equals(path.local);
    }

    @Override
    public int hashCode() {
        return local.hashCode();
    }

    @Override
    public String toString() {
        return local.toString();
    }
}
