package io.github.rpcrdma4j.nfs.nio.routed;

import io.github.rpcrdma4j.nfs.nio.tree.CopyWish;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.spi.FileSystemProvider;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutorService;

/**
 * The default file system of a Java virtual machine, with the files of NFS servers below {@code
 * /net/nfs} and {@code /net/nfs+rdma}, on systems whose paths begin with a slash.
 *
 * <pre>{@code
 * java -Djava.nio.file.spi.DefaultFileSystemProvider=io.github.rpcrdma4j.nfs.nio.routed.RoutedProvider \
 *     -cp ... Program /net/nfs+rdma/server/data/report.csv
 * }</pre>
 *
 * <p>A program that knows nothing of NFS then uses files of servers by {@link Path#of(String,
 * String...)}. All other paths are those of the platform, as before. The first use of a path of a
 * server connects to it, with the usual options; a program that wants others opens the file system
 * of the server first ({@link io.github.rpcrdma4j.nfs.nio.NfsProvider}). {@code -Duser.dir} with a
 * path of a server makes it the working directory.
 *
 * <ul>
 *   <li>{@link java.io.File} and the streams of {@code java.io} are always of this machine. {@link
 *       Path#toFile} refuses a path of a server.
 *   <li>A symbolic link of a server leads to files of the same server: a path of this machine is
 *       refused as its target. A link of this machine does not lead to a server.
 *   <li>Exceptions name a file as its server does. Its users and groups are numbers, and those of
 *       this machine are not among them: the file system of the server looks them up.
 *   <li>A name that the character set of this machine lacks ({@code sun.jnu.encoding}) has no path:
 *       a listing that comes to it throws {@link java.nio.file.InvalidPathException}.
 * </ul>
 *
 * <p>The platform creates it ({@link java.nio.file.FileSystems#getDefault}). Thread-safe.
 *
 * <p>Tests: {@code RoutedProviderTest}, {@code ServerRouteTest}.
 */
public final class RoutedProvider extends FileSystemProvider {
    private final FileSystemProvider platform;
    private final RoutedFileSystem files;

    /**
     * Creates the provider.
     *
     * @param platform the provider of files of this machine
     */
    public RoutedProvider(FileSystemProvider platform) {
        this.platform = platform;
        this.files = new RoutedFileSystem(this, platform.getFileSystem(URI.create("file:///")));
    }

    @Override
    public String getScheme() {
        return platform.getScheme();
    }

    /** Always refuses: there is one. */
    @Override
    public FileSystem newFileSystem(URI uri, Map<String, ?> environment) throws IOException {
        return platform.newFileSystem(uri, environment);
    }

    @Override
    public FileSystem getFileSystem(URI uri) {
        platform.getFileSystem(uri);
        return files;
    }

    @Override
    public Path getPath(URI uri) {
        return files.path(platform.getPath(uri));
    }

    private Path used(Path path) throws IOException {
        return files.own(path).used();
    }

    @Override
    public InputStream newInputStream(Path path, OpenOption... options) throws IOException {
        return Files.newInputStream(used(path), options);
    }

    @Override
    public OutputStream newOutputStream(Path path, OpenOption... options) throws IOException {
        return Files.newOutputStream(used(path), options);
    }

    @Override
    public FileChannel newFileChannel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        return FileChannel.open(used(path), options, attributes);
    }

    @Override
    public AsynchronousFileChannel newAsynchronousFileChannel(
            Path path,
            Set<? extends OpenOption> options,
            ExecutorService executor,
            FileAttribute<?>... attributes)
            throws IOException {
        return AsynchronousFileChannel.open(used(path), options, executor, attributes);
    }

    @Override
    public SeekableByteChannel newByteChannel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        return Files.newByteChannel(used(path), options, attributes);
    }

    @Override
    public DirectoryStream<Path> newDirectoryStream(
            Path directory, DirectoryStream.Filter<? super Path> filter) throws IOException {
        return RoutedDirectory.of(files.own(directory), filter);
    }

    @Override
    public void createDirectory(Path directory, FileAttribute<?>... attributes) throws IOException {
        Files.createDirectory(used(directory), attributes);
    }

    /**
     * Makes a symbolic link.
     *
     * @throws FileSystemException if the link is of a server, and the target of something else
     */
    @Override
    public void createSymbolicLink(Path link, Path target, FileAttribute<?>... attributes)
            throws IOException {
        var place = files.own(link);
        var leads = files.own(target);
        var route = place.route();
        if (route == null) {
            Files.createSymbolicLink(place.local(), leads.local(), attributes);
            return;
        }
        var used = place.used();
        Files.createSymbolicLink(
                used, used.getFileSystem().getPath(textAtServer(route, leads)), attributes);
    }

    /** Returns the text of a link of a server. */
    private static String textAtServer(ServerRoute route, RoutedPath target) throws IOException {
        if (!target.isAbsolute()) {
            return target.toString();
        }
        var other = target.route();
        if (!route.isOfSame(other)) {
            throw new FileSystemException(
                    route.textOf(route.path()),
                    target.toString(),
                    "a link of a server leads to files of the same server");
        }
        return other.path();
    }

    @Override
    public void createLink(Path link, Path existing) throws IOException {
        var made = used(link);
        var file = used(existing);
        if (made.getFileSystem() != file.getFileSystem()) {
            throw new FileSystemException(
                    link.toString(), existing.toString(), "they are of different file systems");
        }
        Files.createLink(made, file);
    }

    @Override
    public void delete(Path path) throws IOException {
        Files.delete(used(path));
    }

    @Override
    public boolean deleteIfExists(Path path) throws IOException {
        return Files.deleteIfExists(used(path));
    }

    @Override
    public Path readSymbolicLink(Path link) throws IOException {
        var own = files.own(link);
        var target = Files.readSymbolicLink(own.used());
        var route = own.route();
        return route == null
                ? files.path(target)
                : files.getPath(
                        target.isAbsolute()
                                ? route.textOfLink(target.toString())
                                : target.toString());
    }

    @Override
    public void copy(Path source, Path target, CopyOption... options) throws IOException {
        var from = used(source);
        var to = used(target);
        if (from.getFileSystem().provider() == to.getFileSystem().provider()) {
            Files.copy(from, to, options);
        } else {
            new CopyAcross(from, to, CopyWish.ofCopy(options)).copy();
        }
    }

    @Override
    public void move(Path source, Path target, CopyOption... options) throws IOException {
        var from = used(source);
        var to = used(target);
        if (from.getFileSystem().provider() == to.getFileSystem().provider()) {
            Files.move(from, to, options);
        } else {
            new CopyAcross(from, to, CopyWish.ofMove(options)).move();
        }
    }

    @Override
    public boolean isSameFile(Path path, Path other) throws IOException {
        Objects.requireNonNull(other, "no other path");
        var own = files.own(path);
        if (own.equals(other)) {
            return true;
        }
        return other instanceof RoutedPath second
                && Files.isSameFile(own.used(), files.own(second).used());
    }

    @Override
    public boolean isHidden(Path path) throws IOException {
        return Files.isHidden(used(path));
    }

    @Override
    public FileStore getFileStore(Path path) throws IOException {
        return Files.getFileStore(used(path));
    }

    @Override
    public void checkAccess(Path path, AccessMode... modes) throws IOException {
        var used = used(path);
        used.getFileSystem().provider().checkAccess(used, modes);
    }

    @Override
    public boolean exists(Path path, LinkOption... options) {
        try {
            return Files.exists(used(path), options);
        } catch (IOException _) {
            return false;
        }
    }

    @Override
    public <A extends BasicFileAttributes> A readAttributesIfExists(
            Path path, Class<A> type, LinkOption... options) throws IOException {
        var used = used(path);
        return used.getFileSystem().provider().readAttributesIfExists(used, type, options);
    }

    /** Returns null, too, if the server cannot be reached. */
    @Override
    public <V extends FileAttributeView> V getFileAttributeView(
            Path path, Class<V> type, LinkOption... options) {
        try {
            return Files.getFileAttributeView(used(path), type, options);
        } catch (IOException _) {
            return null;
        }
    }

    @Override
    public <A extends BasicFileAttributes> A readAttributes(
            Path path, Class<A> type, LinkOption... options) throws IOException {
        return Files.readAttributes(used(path), type, options);
    }

    @Override
    public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options)
            throws IOException {
        return Files.readAttributes(used(path), attributes, options);
    }

    @Override
    public void setAttribute(Path path, String attribute, Object value, LinkOption... options)
            throws IOException {
        Files.setAttribute(used(path), attribute, value, options);
    }
}
