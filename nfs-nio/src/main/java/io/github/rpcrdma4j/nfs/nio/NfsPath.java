package io.github.rpcrdma4j.nfs.nio;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.nio.attribute.ServerFileAttributes;
import io.github.rpcrdma4j.nfs.nio.path.PathText;
import io.github.rpcrdma4j.nfs.nio.watch.DirectoryWatcher;
import java.io.IOException;
import java.net.URI;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A path of a server: bytes, which the text shows without loss. Two paths are equal if they are of
 * one file system and have the same names. Immutable, but for attributes of a listing, which are
 * given out once.
 *
 * <p>Tests: {@code ProviderContract}.
 */
final class NfsPath implements Path {
    private final NfsFileSystem files;
    private final PathText text;

    /** What a listing told of the file. */
    private final AtomicReference<Listed> listed;

    /**
     * What a listing told of a file.
     *
     * @param until by {@link System#nanoTime}
     */
    record Listed(FileAttributes attributes, long until) {}

    NfsPath(NfsFileSystem files, PathText text) {
        this(files, text, null);
    }

    /**
     * Creates a path that a listing returns.
     *
     * @param listed null for no attributes
     */
    NfsPath(NfsFileSystem files, PathText text, Listed listed) {
        this.files = files;
        this.text = text;
        this.listed = new AtomicReference<>(listed);
    }

    /**
     * Returns a path as one of a server.
     *
     * @throws ProviderMismatchException if it is none
     */
    static NfsPath of(Path path) {
        if (path instanceof NfsPath own) {
            return own;
        }
        throw path == null
                ? new NullPointerException("no path")
                : new ProviderMismatchException("no path of a server: " + path);
    }

    /** Returns a path whose file is changed: what a listing told of it is true no more. */
    static NfsPath changed(Path path) {
        var own = of(path);
        own.listed.set(null);
        return own;
    }

    private NfsPath with(PathText other) {
        return new NfsPath(files, other);
    }

    private NfsPath orNull(PathText other) {
        return other == null ? null : with(other);
    }

    PathText text() {
        return text;
    }

    /**
     * Returns the path of a name that a listing of this directory returned.
     *
     * @param attributes null for none
     */
    NfsPath child(FileName name, Listed attributes) {
        return new NfsPath(files, text.resolve(PathText.of(name)), attributes);
    }

    /** Returns the path from the root of the server. */
    PathText absolute() {
        return text.isAbsolute() ? text : files.directory().resolve(text);
    }

    /**
     * Returns what a listing told of the file, once and for a moment.
     *
     * @param followsLinks whether those of a link are not wanted
     */
    Optional<ServerFileAttributes> takeListed(boolean followsLinks) {
        var told = listed.getAndSet(null);
        if (told == null || System.nanoTime() - told.until > 0) {
            return Optional.empty();
        }
        var attributes = new ServerFileAttributes(told.attributes);
        return followsLinks && attributes.isSymbolicLink()
                ? Optional.empty()
                : Optional.of(attributes);
    }

    @Override
    public NfsFileSystem getFileSystem() {
        return files;
    }

    @Override
    public boolean isAbsolute() {
        return text.isAbsolute();
    }

    @Override
    public Path getRoot() {
        return text.isAbsolute() ? with(PathText.ROOT) : null;
    }

    @Override
    public Path getFileName() {
        int count = text.count();
        return count == 0 ? null : count == 1 && !isAbsolute() ? this : getName(count - 1);
    }

    @Override
    public Path getParent() {
        return orNull(text.parent());
    }

    @Override
    public int getNameCount() {
        return text.count();
    }

    @Override
    public Path getName(int index) {
        return subpath(index, index + 1);
    }

    @Override
    public Path subpath(int from, int to) {
        return with(text.sub(from, to));
    }

    private boolean isOfSame(Path other) {
        Objects.requireNonNull(other, "no other path");
        return other instanceof NfsPath path && path.files == files;
    }

    @Override
    public boolean startsWith(Path other) {
        return isOfSame(other) && text.startsWith(of(other).text);
    }

    @Override
    public boolean endsWith(Path other) {
        return isOfSame(other) && text.endsWith(of(other).text);
    }

    @Override
    public Path normalize() {
        return with(text.normalize());
    }

    @Override
    public Path resolve(Path other) {
        var path = of(other);
        return path.isAbsolute() ? path : with(text.resolve(path.text));
    }

    @Override
    public Path relativize(Path other) {
        return with(text.relativize(of(other).text));
    }

    @Override
    public URI toUri() {
        return files.uriOf(absolute());
    }

    @Override
    public Path toAbsolutePath() {
        return isAbsolute() ? this : with(absolute());
    }

    /** Asks the server. Without links to follow, the dots are taken out by their text alone. */
    @Override
    public Path toRealPath(LinkOption... options) throws IOException {
        var tree = files.tree();
        if (List.of(options).contains(LinkOption.NOFOLLOW_LINKS)) {
            tree.file(absolute(), false);
            return with(absolute().normalize());
        }
        return with(tree.real(absolute()));
    }

    /** Watches this directory, by a service of its file system. */
    @Override
    public WatchKey register(
            WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers)
            throws IOException {
        Objects.requireNonNull(watcher, "no watch service");
        if (watcher instanceof DirectoryWatcher own && files.has(own)) {
            return own.register(this, events, modifiers);
        }
        throw new ProviderMismatchException("a watch service of another file system");
    }

    @Override
    public int compareTo(Path other) {
        return text.compareTo(of(other).text);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NfsPath path && path.files == files && text.equals(path.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
