package io.github.rpcrdma4j.nfs.client;

import static io.github.rpcrdma4j.nfs.client.file.PathFailure.named;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.file.ReadAheadStream;
import io.github.rpcrdma4j.nfs.client.service.AccessRight;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.Status;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Reads, writes, lists and walks the files of an NFS server, by their paths.
 *
 * <pre>{@code
 * try (var files = NfsFiles.connect("rdma://server/data");
 *         var in = files.newInputStream("/data/report.csv")) {
 *     report.load(in);
 * }
 * }</pre>
 *
 * <p>A path is UTF-8 and begins with the path of the export; {@link NfsMount} also takes names of
 * other bytes, as {@link PathName}. Symbolic links within a path are followed as long as they stay
 * within the export.
 *
 * <p>A method that takes a path fails as those of {@link java.nio.file.Files} do, with a {@link
 * java.nio.file.FileSystemException} such as {@link java.nio.file.NoSuchFileException}. Its cause
 * is a {@link NfsException} with the status of the server, or with the one that fits what this side
 * found. An open channel or stream fails with the {@link NfsException} itself. If the server cannot
 * be reached, the failure is another {@link IOException}. Each message is one line for a user.
 *
 * <p>Thread-safe, but each opened channel or stream is used by one thread at a time. {@link
 * io.github.rpcrdma4j.nfs.client.copy.TreeCopier} copies whole trees faster.
 */
public final class NfsFiles implements AutoCloseable {
    private static final int MODE = 0644;
    private static final Set<OpenOption> KNOWN =
            Set.of(
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.APPEND,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.CREATE_NEW,
                    StandardOpenOption.TRUNCATE_EXISTING,
                    StandardOpenOption.SYNC,
                    StandardOpenOption.DSYNC);
    private static final List<OpenOption> APPEND_EXCLUDES =
            List.of(StandardOpenOption.READ, StandardOpenOption.TRUNCATE_EXISTING);

    /**
     * A file found in a listing.
     *
     * @param path from the root of the server
     * @param attributes of the file when it was listed
     */
    public record Entry(PathName path, FileAttributes attributes) {}

    private final NfsMount mount;

    private NfsFiles(NfsMount mount) {
        this.mount = mount;
    }

    /**
     * Connects to a server as the user of this process, over the shared provider, and mounts the
     * export that holds a path. A lost connection is established again. Each call, and each try to
     * connect, may take 30 seconds.
     *
     * <p>The newest of versions 4.2, 4.1 and 3 is used that the server has. For version 3, MOUNT is
     * called over the transport of the URL. The server of a Linux kernel does not answer it over
     * RDMA: for version 3 there, use {@link #connect(String, InetSocketAddress)}.
     *
     * @param url {@code rdma://host[:port]/export}, or {@code nfs://} over TCP: {@link NfsUrl}
     * @throws IOException if the server cannot be reached, or no export holds the path
     * @throws IllegalArgumentException if the URL is malformed
     */
    public static NfsFiles connect(String url) throws IOException, InterruptedException {
        return connect(url, ClientOptions.DEFAULT);
    }

    /**
     * Connects as {@link #connect(String)} does, with other settings.
     *
     * @param url {@code rdma://host[:port]/export}, or {@code nfs://} over TCP: {@link NfsUrl}
     * @param options the timeout bounds each call and each try to connect, and the retry time what
     *     follows the loss of a connection; an operation can make several calls. Without a caller,
     *     it is the user of this process
     * @throws IOException if the server cannot be reached, or no export holds the path
     * @throws IllegalArgumentException if the URL is malformed
     */
    public static NfsFiles connect(String url, ClientOptions options)
            throws IOException, InterruptedException {
        var place = NfsUrl.parse(url);
        return of(NfsClient.mount(place, options));
    }

    /**
     * Connects as {@link #connect(String)} does, but calls MOUNT over TCP, as the server of a Linux
     * kernel requires for versions 2 and 3.
     *
     * @param url {@code rdma://host[:port]/export}, or {@code nfs://} over TCP: {@link NfsUrl}
     * @param mount the address of the MOUNT service; its port is usually 20048
     * @throws IOException if a service cannot be reached, or no export holds the path
     * @throws IllegalArgumentException if the URL is malformed
     */
    public static NfsFiles connect(String url, InetSocketAddress mount)
            throws IOException, InterruptedException {
        return connect(url, mount, ClientOptions.DEFAULT);
    }

    /**
     * Connects as {@link #connect(String, InetSocketAddress)} does, with other settings.
     *
     * @param url {@code rdma://host[:port]/export}, or {@code nfs://} over TCP: {@link NfsUrl}
     * @param mount the address of the MOUNT service; its port is usually 20048
     * @param options as of {@link #connect(String, ClientOptions)}
     * @throws IOException if a service cannot be reached, or no export holds the path
     * @throws IllegalArgumentException if the URL is malformed
     */
    public static NfsFiles connect(String url, InetSocketAddress mount, ClientOptions options)
            throws IOException, InterruptedException {
        var place = NfsUrl.parse(url);
        return of(NfsClient.mount(place, mount, options));
    }

    /**
     * Returns the files of a mount, over any transport, for any user and any version of
     * RPC-over-RDMA.
     *
     * @param mount owned by the returned object, which closes it
     */
    public static NfsFiles of(NfsMount mount) {
        return new NfsFiles(mount);
    }

    /**
     * Returns the attributes of a file. If the path ends with a symbolic link, they are the link's.
     */
    public FileAttributes attributes(String path) throws IOException, InterruptedException {
        return named(path, () -> mount.resolve(PathName.of(path)).attributes());
    }

    /** Returns whether a file, a directory or a symbolic link exists at a path. */
    public boolean exists(String path) throws IOException, InterruptedException {
        return named(path, () -> mount.find(PathName.of(path)).isPresent());
    }

    /** Returns the target that a symbolic link names. */
    public PathName readLink(String path) throws IOException, InterruptedException {
        return named(
                path,
                () -> {
                    var link = mount.resolve(PathName.of(path));
                    return mount.service().readLink(link.handle(), "cannot read the link " + path);
                });
    }

    /**
     * Opens a file to read or write it at any position. Written bytes are on stable storage when
     * {@code write} returns.
     *
     * @param options as for {@link java.nio.file.Files#newByteChannel}; without any, the file is
     *     opened for reading
     * @throws UnsupportedOperationException if an option is not supported over NFS
     * @throws IllegalArgumentException if APPEND is combined with READ or TRUNCATE_EXISTING
     */
    public SeekableByteChannel newByteChannel(String path, OpenOption... options)
            throws IOException, InterruptedException {
        var wanted = new HashSet<>(List.of(options));
        requireAllowed(wanted);
        boolean appends = wanted.contains(StandardOpenOption.APPEND);
        boolean writes = appends || wanted.contains(StandardOpenOption.WRITE);
        boolean reads = !writes || wanted.contains(StandardOpenOption.READ);
        var name = PathName.of(path);
        var file = named(path, () -> writes ? open(name, wanted, reads) : openToRead(name));
        return new NfsChannel(mount, file.handle(), name.escaped(), reads, writes, appends);
    }

    private static void requireAllowed(Set<OpenOption> options) {
        for (var option : options) {
            if (!KNOWN.contains(option)) {
                throw new UnsupportedOperationException(option + " is not supported");
            }
        }
        if (options.contains(StandardOpenOption.APPEND)) {
            for (var other : APPEND_EXCLUDES) {
                if (options.contains(other)) {
                    throw new IllegalArgumentException("APPEND cannot be combined with " + other);
                }
            }
        }
    }

    private RemoteFile openToRead(PathName path) throws IOException, InterruptedException {
        var file = requireFile(path, mount.resolve(path, true));
        requireRights(file, Set.of(AccessRight.READ), "cannot read " + path.escaped());
        return file;
    }

    /**
     * Asks for the rights that an open needs, as a client that is a kernel does. READ, WRITE and
     * SETATTR do not tell: a server lets the owner of a file use it with any mode, because NFS has
     * no open.
     */
    private void requireRights(RemoteFile file, Set<AccessRight> wanted, String what)
            throws IOException, InterruptedException {
        if (!mount.service().access(file.handle(), wanted, what).containsAll(wanted)) {
            throw new NfsException(what, Status.ACCES);
        }
    }

    private RemoteFile open(PathName path, Set<OpenOption> options, boolean reads)
            throws IOException, InterruptedException {
        boolean isNew = options.contains(StandardOpenOption.CREATE_NEW);
        var what = "cannot write " + path.escaped();
        var target = mount.target(path);
        if (target.file().isPresent()) {
            if (isNew) {
                throw new NfsException(what, Status.EXIST);
            }
            var file = requireFile(path, target.file().get());
            var rights = EnumSet.of(AccessRight.MODIFY, AccessRight.EXTEND);
            if (reads) {
                rights.add(AccessRight.READ);
            }
            requireRights(file, rights, what);
            if (options.contains(StandardOpenOption.TRUNCATE_EXISTING)) {
                mount.change(file.handle(), AttributeChanges.ofSize(0), what);
            }
            return file;
        }
        if (!isNew && !options.contains(StandardOpenOption.CREATE)) {
            throw new NfsException(what, Status.NOENT);
        }
        var place = target.place().orElseThrow();
        // Another client may make the file in the meantime.
        var made = mount.makeFile(place, AttributeChanges.ofMode(MODE), isNew, what);
        return requireFile(path, made);
    }

    private static RemoteFile requireFile(PathName path, RemoteFile file) throws NfsException {
        if (file.attributes().isDirectory()) {
            throw new NfsException(path.escaped(), Status.ISDIR);
        }
        return file;
    }

    /**
     * Opens a file for reading from its start. It reads ahead as much as one transfer of the
     * server.
     */
    public InputStream newInputStream(String path) throws IOException, InterruptedException {
        var channel = newByteChannel(path, StandardOpenOption.READ);
        return new ReadAheadStream(
                Channels.newInputStream(channel), ((NfsChannel) channel).transferBytes());
    }

    /**
     * Opens a file for writing from its start. An existing file is truncated, a missing one is
     * made. Bytes are sent when a transfer is full, at {@code flush} and at {@code close}; they are
     * then on stable storage.
     */
    public OutputStream newOutputStream(String path) throws IOException, InterruptedException {
        var channel =
                newByteChannel(
                        path,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING);
        return new BufferedOutputStream(
                Channels.newOutputStream(channel), ((NfsChannel) channel).transferBytes());
    }

    /**
     * Returns the entries of a directory, in the server's order. The stream fetches each page as it
     * is consumed. It throws {@link java.io.UncheckedIOException}, whose cause is an {@link
     * java.io.InterruptedIOException} if the thread is interrupted.
     */
    public Stream<Entry> list(String path) throws IOException, InterruptedException {
        var name = PathName.of(path);
        return named(path, () -> RemoteTree.list(mount, directory(name), name));
    }

    /**
     * Returns a file, and if it is a directory everything below it. Each directory precedes its
     * entries. Symbolic links are not followed. The stream fetches and throws as that of {@link
     * #list} does.
     */
    public Stream<Entry> walk(String path) throws IOException, InterruptedException {
        var name = PathName.of(path);
        return named(path, () -> RemoteTree.walk(mount, mount.resolve(name), name));
    }

    private FileHandle directory(PathName path) throws IOException, InterruptedException {
        var directory = mount.resolve(path, true);
        if (!directory.attributes().isDirectory()) {
            throw new NfsException("cannot list " + path.escaped(), Status.NOTDIR);
        }
        return directory.handle();
    }

    /** Makes a directory. Its parent directory must exist, and the path itself must not. */
    public void createDirectory(String path) throws IOException, InterruptedException {
        named(path, () -> mount.makeDirectory(PathName.of(path)));
    }

    /** Removes a file, a symbolic link or an empty directory. */
    public void delete(String path) throws IOException, InterruptedException {
        named(
                path,
                () -> {
                    var name = PathName.of(path);
                    if (mount.resolve(name).attributes().isDirectory()) {
                        mount.removeDirectory(name);
                    } else {
                        mount.remove(name);
                    }
                    return null;
                });
    }

    /** Renames a file within the export. An existing file of the new name is replaced. */
    public void rename(String from, String to) throws IOException, InterruptedException {
        named(
                from,
                to,
                () -> {
                    mount.rename(PathName.of(from), PathName.of(to));
                    return null;
                });
    }

    /** Closes the mount. Channels and streams that are still open fail from then on. */
    @Override
    public void close() {
        mount.close();
    }
}
