package io.github.rpcrdma4j.nfs.nio;

import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.nio.attribute.AclView;
import io.github.rpcrdma4j.nfs.nio.attribute.AttributeView;
import io.github.rpcrdma4j.nfs.nio.attribute.ModeBits;
import io.github.rpcrdma4j.nfs.nio.attribute.NamedAttributes;
import io.github.rpcrdma4j.nfs.nio.attribute.ServerFileAttributes;
import io.github.rpcrdma4j.nfs.nio.attribute.ViewedFile;
import io.github.rpcrdma4j.nfs.nio.attribute.XattrView;
import io.github.rpcrdma4j.nfs.nio.channel.NfsAsynchronousChannel;
import io.github.rpcrdma4j.nfs.nio.channel.NfsFileChannel;
import io.github.rpcrdma4j.nfs.nio.channel.OpenWish;
import io.github.rpcrdma4j.nfs.nio.tree.CopyWish;
import io.github.rpcrdma4j.nfs.nio.tree.DirectoryNames;
import io.github.rpcrdma4j.nfs.nio.tree.ServerTree;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.AclFileAttributeView;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileOwnerAttributeView;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.nio.file.spi.FileSystemProvider;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;

/**
 * The file systems of servers over one transport. Thread-safe.
 *
 * <p>Tests: {@code ProviderContract}, {@code FileSystemsByUriTest}.
 */
abstract sealed class ServerProvider extends FileSystemProvider
        permits NfsProvider, NfsRdmaProvider {
    private static final int NEW_FILE = 0666;
    private static final int NEW_DIRECTORY = 0777;

    private final NfsUrl.Transport transport;

    /** Those that are open, by server. */
    private final Map<String, NfsFileSystem> open = new ConcurrentSkipListMap<>();

    ServerProvider(NfsUrl.Transport transport) {
        this.transport = transport;
    }

    @Override
    public final String getScheme() {
        return ServerUri.scheme(transport);
    }

    /**
     * Connects to a server.
     *
     * @param uri its path becomes the working directory
     * @param environment as {@link NfsOptions} says
     * @throws FileSystemAlreadyExistsException if one of this server is open
     * @throws IllegalArgumentException if the URI or an option is malformed
     * @throws IOException if the server cannot be reached, or refuses
     */
    @Override
    public final FileSystem newFileSystem(URI uri, Map<String, ?> environment) throws IOException {
        var parsed = ServerUri.parse(uri, transport);
        var options = NfsOptions.of(environment);
        var server = parsed.server().toString();
        if (open.containsKey(server)) {
            throw new FileSystemAlreadyExistsException(server);
        }
        var files = NfsFileSystem.connect(this, parsed, options);
        if (open.putIfAbsent(server, files) != null) {
            files.close();
            throw new FileSystemAlreadyExistsException(server);
        }
        return files;
    }

    /** Forgets a file system that was closed. */
    final void remove(NfsFileSystem closed) {
        open.values().remove(closed);
    }

    private NfsFileSystem opened(ServerUri uri) {
        var files = open.get(uri.server().toString());
        if (files == null) {
            throw new FileSystemNotFoundException(
                    uri.server() + ": FileSystems.newFileSystem connects to it");
        }
        return files;
    }

    @Override
    public final FileSystem getFileSystem(URI uri) {
        return opened(ServerUri.parse(uri, transport));
    }

    @Override
    public final Path getPath(URI uri) {
        var parsed = ServerUri.parse(uri, transport);
        return new NfsPath(opened(parsed), parsed.path());
    }

    private static ServerTree tree(NfsPath path) {
        return path.getFileSystem().tree();
    }

    private static boolean follows(LinkOption... options) {
        for (var each : options) {
            if (each == LinkOption.NOFOLLOW_LINKS) {
                return false;
            }
        }
        return true;
    }

    private static int mode(NfsPath path, int usual, FileAttribute<?>... attributes) {
        return ModeBits.wanted(attributes).orElse(usual) & ~path.getFileSystem().options().umask();
    }

    private static NfsFileChannel channel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        var file = NfsPath.changed(path);
        var wish = OpenWish.of(options);
        int mode = mode(file, NEW_FILE, attributes);
        return file.getFileSystem().opening().open(file.absolute(), wish, mode);
    }

    /** The stream reads ahead, as much as one call takes. */
    @Override
    public final InputStream newInputStream(Path path, OpenOption... options) throws IOException {
        var wanted = new HashSet<>(List.of(options));
        if (wanted.contains(StandardOpenOption.WRITE)
                || wanted.contains(StandardOpenOption.APPEND)) {
            throw new UnsupportedOperationException("a stream to read does not write");
        }
        return channel(path, wanted).inputStream();
    }

    @Override
    public final SeekableByteChannel newByteChannel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        return channel(path, options, attributes);
    }

    @Override
    public final FileChannel newFileChannel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        return channel(path, options, attributes);
    }

    /**
     * Opens a file for calls that nobody waits for.
     *
     * @param handlers the threads that run completion handlers; null for threads of the channel
     * @throws UnsupportedOperationException with APPEND, because each write has its position
     */
    @Override
    public final AsynchronousFileChannel newAsynchronousFileChannel(
            Path path,
            Set<? extends OpenOption> options,
            ExecutorService handlers,
            FileAttribute<?>... attributes)
            throws IOException {
        if (options.contains(StandardOpenOption.APPEND)) {
            throw new UnsupportedOperationException("an asynchronous channel does not append");
        }
        return new NfsAsynchronousChannel(
                channel(path, options, attributes), Optional.ofNullable(handlers));
    }

    @Override
    public final DirectoryStream<Path> newDirectoryStream(
            Path directory, DirectoryStream.Filter<? super Path> filter) throws IOException {
        var path = NfsPath.of(directory);
        var names = DirectoryNames.of(tree(path), path.absolute());
        return new NfsDirectoryStream(path, names, filter);
    }

    @Override
    public final void createDirectory(Path directory, FileAttribute<?>... attributes)
            throws IOException {
        var path = NfsPath.of(directory);
        tree(path).makeDirectory(path.absolute(), mode(path, NEW_DIRECTORY, attributes));
    }

    @Override
    public final void createSymbolicLink(Path link, Path target, FileAttribute<?>... attributes)
            throws IOException {
        if (attributes.length > 0) {
            throw new UnsupportedOperationException("a symbolic link is made without attributes");
        }
        var path = NfsPath.of(link);
        tree(path).makeLink(path.absolute(), NfsPath.of(target).text());
    }

    @Override
    public final void createLink(Path link, Path existing) throws IOException {
        var path = NfsPath.of(link);
        tree(path).link(path.absolute(), ofSame(path, NfsPath.of(existing)).absolute());
    }

    private static NfsPath ofSame(NfsPath path, NfsPath other) throws IOException {
        if (other.getFileSystem() != path.getFileSystem()) {
            throw new FileSystemException(
                    path.toString(), other.toString(), "they are files of different servers");
        }
        return other;
    }

    @Override
    public final Path readSymbolicLink(Path link) throws IOException {
        var path = NfsPath.of(link);
        return new NfsPath(path.getFileSystem(), tree(path).readLink(path.absolute()));
    }

    @Override
    public final void delete(Path path) throws IOException {
        var file = NfsPath.changed(path);
        tree(file).remove(file.absolute());
    }

    @Override
    public final void copy(Path source, Path target, CopyOption... options) throws IOException {
        var from = NfsPath.of(source);
        var to = NfsPath.changed(target);
        var wish = CopyWish.ofCopy(options);
        if (from.getFileSystem() == to.getFileSystem()) {
            to.getFileSystem().copies().copy(from.absolute(), to.absolute(), wish);
        } else {
            ServersCopy.of(from, to, wish).run();
        }
    }

    @Override
    public final void move(Path source, Path target, CopyOption... options) throws IOException {
        var from = NfsPath.changed(source);
        var to = NfsPath.changed(target);
        var wish = CopyWish.ofMove(options);
        if (from.getFileSystem() == to.getFileSystem()) {
            to.getFileSystem().copies().move(from.absolute(), to.absolute(), wish);
        } else if (wish.isAtomic()) {
            throw new AtomicMoveNotSupportedException(
                    source.toString(), target.toString(), "they are files of different servers");
        } else {
            ServersCopy.of(from, to, wish).run();
            delete(source);
        }
    }

    @Override
    public final boolean isSameFile(Path path, Path other) throws IOException {
        Objects.requireNonNull(other, "no other path");
        var file = NfsPath.of(path);
        if (file.equals(other)) {
            return true;
        }
        return other instanceof NfsPath second
                && second.getFileSystem() == file.getFileSystem()
                && tree(file).isSame(file.absolute(), second.absolute());
    }

    @Override
    public final boolean isHidden(Path path) {
        return ServerTree.isHidden(NfsPath.of(path).text());
    }

    @Override
    public final FileStore getFileStore(Path path) throws IOException {
        return NfsFileStore.of(NfsPath.of(path));
    }

    @Override
    public final void checkAccess(Path path, AccessMode... modes) throws IOException {
        var file = NfsPath.of(path);
        tree(file).requireAccess(file.absolute(), modes);
    }

    @Override
    public final boolean exists(Path path, LinkOption... options) {
        var file = NfsPath.of(path);
        return tree(file).exists(file.absolute(), follows(options));
    }

    private static ViewedFile viewed(NfsPath path, LinkOption... options) {
        return tree(path).viewed(path.absolute(), follows(options));
    }

    @Override
    public final <V extends FileAttributeView> V getFileAttributeView(
            Path path, Class<V> type, LinkOption... options) {
        var file = viewed(NfsPath.changed(path), options);
        FileAttributeView view = null;
        if (type == BasicFileAttributeView.class) {
            view = new AttributeView("basic", file);
        } else if (type == FileOwnerAttributeView.class) {
            view = new AttributeView("owner", file);
        } else if (type == PosixFileAttributeView.class) {
            view = new AttributeView("posix", file);
        } else if (type == AclFileAttributeView.class && tree(NfsPath.of(path)).hasAcls()) {
            view = new AclView(file);
        } else if (type == UserDefinedFileAttributeView.class) {
            view = new XattrView(file);
        }
        return type.cast(view);
    }

    private static ServerFileAttributes attributes(Path path, LinkOption... options)
            throws IOException {
        var file = NfsPath.of(path);
        var tree = tree(file);
        var listed = file.takeListed(follows(options));
        return listed.isPresent()
                ? listed.get()
                : new ServerFileAttributes(
                        tree.file(file.absolute(), follows(options)).attributes());
    }

    @Override
    public final <A extends BasicFileAttributes> A readAttributes(
            Path path, Class<A> type, LinkOption... options) throws IOException {
        if (type != BasicFileAttributes.class && type != PosixFileAttributes.class) {
            throw new UnsupportedOperationException("there are no " + type.getSimpleName());
        }
        return type.cast(attributes(path, options));
    }

    @Override
    public final <A extends BasicFileAttributes> A readAttributesIfExists(
            Path path, Class<A> type, LinkOption... options) throws IOException {
        try {
            return readAttributes(path, type, options);
        } catch (NoSuchFileException _) {
            return null;
        }
    }

    @Override
    public final Map<String, Object> readAttributes(Path path, String names, LinkOption... options)
            throws IOException {
        var wanted = NamedAttributes.parse(names);
        return wanted.areApart()
                ? wanted.values(viewed(NfsPath.of(path), options))
                : wanted.values(attributes(path, options));
    }

    @Override
    public final void setAttribute(Path path, String name, Object value, LinkOption... options)
            throws IOException {
        NamedAttributes.parse(name).change(viewed(NfsPath.changed(path), options), value);
    }
}
