package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.NfsMount.RemoteFile;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Binding;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.CreateMode;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.ProcessCredential;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Files of an NFS server by their paths, to be read, written, listed and walked.
 *
 * <pre>{@code
 * try (var files = NfsFiles.connect("rdma://server/data");
 *         var in = files.newInputStream("/data/report.csv")) {
 *     report.load(in);
 * }
 * }</pre>
 *
 * <p>A path begins with that of the export, and is UTF-8; names of other bytes are reached through
 * {@link PathName}. Symbolic links on the way are followed as far as they stay within the export. A
 * failure is an {@link NfsException} with the status of the server, or another {@link IOException}
 * with one line for a user. Thread-safe; what it opens is used by one thread at a time. Whole trees
 * are copied faster by {@link TreeCopier}.
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

    /**
     * A file that was found.
     *
     * @param path from the top of the server
     * @param attributes when it was found
     */
    public record Entry(PathName path, FileAttributes attributes) {}

    private final NfsMount mount;

    private NfsFiles(NfsMount mount) {
        this.mount = mount;
    }

    /**
     * Connects to a server as the user of this process, over the shared provider, and mounts the
     * export that a path lies in. A connection that is lost is made anew.
     *
     * @param url {@code rdma://host[:port]/export}; the port is 20049 if there is none
     * @throws IOException if the server cannot be reached, or exports nothing that holds the path
     * @throws IllegalArgumentException if it is no such URL
     */
    public static NfsFiles connect(String url) throws IOException, InterruptedException {
        var place = NfsUrl.parse(url);
        var caller = ProcessCredential.read();
        Connector connector =
                () ->
                        RpcRdmaClient.builder()
                                .credential(caller)
                                .binding(Nfs3Binding.BINDING)
                                .connect(new InetSocketAddress(place.host(), place.port()));
        var client = new Nfs3Client(connector, connector, ClientOptions.DEFAULT);
        return of(NfsMount.of(client, place.path()));
    }

    /**
     * Files of a mount, which may be of any transport, user and version.
     *
     * @param mount closed with this
     */
    public static NfsFiles of(NfsMount mount) {
        return new NfsFiles(mount);
    }

    /** The attributes of a file; those of a symbolic link if the path ends with one. */
    public FileAttributes attributes(String path) throws IOException, InterruptedException {
        return mount.locate(PathName.of(path)).attributes();
    }

    /** Whether there is a file, a directory or a symbolic link at a path. */
    public boolean exists(String path) throws IOException, InterruptedException {
        return mount.find(PathName.of(path)).isPresent();
    }

    /** The text of a symbolic link. */
    public PathName readLink(String path) throws IOException, InterruptedException {
        var link = mount.locate(PathName.of(path));
        return mount.client().readLink(link.handle(), "cannot read the link " + path);
    }

    /**
     * Opens a file for reading and writing at any position.
     *
     * @param options as of {@link java.nio.file.Files#newByteChannel}; without any the file is
     *     read. What is written is on storage when {@code write} returns.
     * @throws UnsupportedOperationException if an option is not one of those that NFS has
     */
    public SeekableByteChannel newByteChannel(String path, OpenOption... options)
            throws IOException, InterruptedException {
        var wanted = Set.of(options);
        for (var option : wanted) {
            if (!KNOWN.contains(option)) {
                throw new UnsupportedOperationException(option + " is not supported");
            }
        }
        boolean appends = wanted.contains(StandardOpenOption.APPEND);
        boolean writes = appends || wanted.contains(StandardOpenOption.WRITE);
        boolean reads = !writes || wanted.contains(StandardOpenOption.READ);
        var name = PathName.of(path);
        var file = writes ? open(name, wanted) : mount.locate(name, true);
        requireFile(name, file);
        return new NfsChannel(mount, file.handle(), name.escaped(), reads, writes, appends);
    }

    private RemoteFile open(PathName path, Set<OpenOption> options)
            throws IOException, InterruptedException {
        boolean isNew = options.contains(StandardOpenOption.CREATE_NEW);
        var what = "cannot write " + path.escaped();
        var target = mount.target(path);
        if (target.file().isPresent()) {
            if (isNew) {
                throw new NfsException(what, Status.EXIST);
            }
            var file = target.file().get();
            requireFile(path, file);
            if (options.contains(StandardOpenOption.TRUNCATE_EXISTING)) {
                mount.client()
                        .call(
                                new Nfs3Call.ChangeAttributes(
                                        file.handle(), SetAttributes.ofSize(0), Optional.empty()),
                                what);
            }
            return file;
        }
        if (!isNew && !options.contains(StandardOpenOption.CREATE)) {
            throw new NfsException(what, Status.NOENT);
        }
        var place = target.place().orElseThrow();
        var attributes = SetAttributes.ofMode(MODE);
        // Another client may make the file meanwhile.
        var mode =
                isNew ? new CreateMode.Guarded(attributes) : new CreateMode.Unchecked(attributes);
        mount.client().call(new Nfs3Call.Create(place, mode), what);
        return mount.lookup(place, what);
    }

    private static void requireFile(PathName path, RemoteFile file) throws NfsException {
        if (file.attributes().isDirectory()) {
            throw new NfsException(path.escaped(), Status.ISDIR);
        }
    }

    /** Opens a file to be read from its start; read-ahead is as long as the server likes it. */
    public InputStream newInputStream(String path) throws IOException, InterruptedException {
        var channel = newByteChannel(path, StandardOpenOption.READ);
        return new BufferedInputStream(
                Channels.newInputStream(channel), ((NfsChannel) channel).transferBytes());
    }

    /**
     * Opens a file to be written from its start; one that is there becomes empty, one that is not
     * is made. Bytes are sent when a transfer is full, at {@code flush} and at {@code close}, and
     * are on storage then.
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
     * What is in a directory, in the server's order. The stream asks for page after page as it is
     * read, and throws {@link java.io.UncheckedIOException}; if its thread is interrupted, with
     * {@link java.io.InterruptedIOException}.
     */
    public Stream<Entry> list(String path) throws IOException, InterruptedException {
        var name = PathName.of(path);
        return RemoteTree.list(mount, directory(name), name);
    }

    /**
     * A file, and if it is a directory all below it, each directory before what is in it. Symbolic
     * links are not followed. The stream asks as it is read, and throws as that of {@link #list}.
     */
    public Stream<Entry> walk(String path) throws IOException, InterruptedException {
        var name = PathName.of(path);
        return RemoteTree.walk(mount, mount.locate(name), name);
    }

    private FileHandle directory(PathName path) throws IOException, InterruptedException {
        var directory = mount.locate(path, true);
        if (!directory.attributes().isDirectory()) {
            throw new NfsException("cannot list " + path.escaped(), Status.NOTDIR);
        }
        return directory.handle();
    }

    /** Makes a directory; its parent is there, and it is not. */
    public void createDirectory(String path) throws IOException, InterruptedException {
        mount.makeDirectory(PathName.of(path));
    }

    /** Removes a file, a symbolic link or an empty directory. */
    public void delete(String path) throws IOException, InterruptedException {
        var name = PathName.of(path);
        if (mount.locate(name).attributes().isDirectory()) {
            mount.removeDirectory(name);
        } else {
            mount.remove(name);
        }
    }

    /** Renames within the export; a file of the new name is replaced. */
    public void rename(String from, String to) throws IOException, InterruptedException {
        mount.rename(PathName.of(from), PathName.of(to));
    }

    /** Closes the connection; what was opened fails from now on. */
    @Override
    public void close() {
        mount.close();
    }
}
