package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.NfsMount.Located;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.CreateMode;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.Place;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.xdr.SegmentPool;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.ValueLayout;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;
import java.util.Set;

/**
 * Copies single files between a server and local folders. A file has another name until it is
 * complete, so nothing half-written is ever found under its own. Thread-safe.
 */
public final class Copier {
    private static final long POOL_BYTES = 128L << 20;
    private static final int TRANSFER_MAX = 1 << 20;
    private static final int TRANSFER_MIN = 4096;
    private static final int DISCARDS_MAX = 2;
    private static final Set<StandardOpenOption> TO_NEW =
            EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);

    private final NfsMount mount;
    private final ClientOptions options;
    private final CopyListener listener;
    private final SegmentPool pool = new SegmentPool(POOL_BYTES);
    private final int readMax;
    private final int writeMax;

    /** Asks the server for its limits. */
    public Copier(NfsMount mount, ClientOptions options, CopyListener listener)
            throws IOException, InterruptedException {
        this.mount = mount;
        this.options = options;
        this.listener = listener;
        var info = mount.info();
        readMax = Math.clamp(Integer.toUnsignedLong(info.readMax()), TRANSFER_MIN, TRANSFER_MAX);
        writeMax = Math.clamp(Integer.toUnsignedLong(info.writeMax()), TRANSFER_MIN, TRANSFER_MAX);
    }

    NfsMount mount() {
        return mount;
    }

    ClientOptions options() {
        return options;
    }

    CopyListener listener() {
        return listener;
    }

    /** Leases of memory that are open; 0 when no copy is in progress. */
    public int leasedMemory() {
        return pool.leased();
    }

    /**
     * Writes a whole file to a stream, in order.
     *
     * @param name of the file, for messages
     */
    public void stream(Located file, String name, OutputStream out)
            throws IOException, InterruptedException {
        FileGet.Sink sink = (_, octets) -> out.write(octets.toArray(ValueLayout.JAVA_BYTE));
        listener.expect(file.attributes().size());
        new FileGet(mount.client(), pool, file, "cannot read " + name, readMax, sink, listener)
                .run(1);
        listener.file(name);
    }

    private void read(Located file, String name, FileGet.Sink sink)
            throws IOException, InterruptedException {
        listener.expect(file.attributes().size());
        new FileGet(mount.client(), pool, file, "cannot read " + name, readMax, sink, listener)
                .run(options.outstanding());
    }

    /**
     * Copies a regular file from the server.
     *
     * @param name of the file, for messages
     */
    public void get(Located file, String name, Path target)
            throws IOException, InterruptedException {
        var part = target.resolveSibling(TemporaryName.of(target.getFileName().toString()));
        boolean done = false;
        try {
            try (var channel =
                    FileChannel.open(
                            part, TO_NEW, Permissions.forFile(part, file.attributes().mode()))) {
                read(file, name, FileGet.into(channel));
            }
            Files.move(
                    part,
                    target,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
            done = true;
        } catch (ClosedByInterruptException _) {
            throw interrupted();
        } finally {
            if (!done) {
                Files.deleteIfExists(part);
            }
        }
        listener.file(name);
    }

    /** An interrupt closes a channel that is in use: it is told as what it is. */
    private static InterruptedException interrupted() {
        Thread.interrupted();
        return new InterruptedException();
    }

    /**
     * Copies a regular local file to the server.
     *
     * @param name of the target, for messages
     */
    public void put(Path source, Place target, String name)
            throws IOException, InterruptedException {
        var part = new Place(target.directory(), TemporaryName.of(target.name().toString()));
        var what = "cannot write " + name;
        boolean created = false;
        boolean done = false;
        try (var channel = FileChannel.open(source, StandardOpenOption.READ)) {
            listener.expect(channel.size());
            var handle = create(part, Permissions.ofFile(source), what);
            created = true;
            new FilePut(mount.client(), pool, channel, handle, what, writeMax, listener)
                    .run(options.outstanding());
            mount.rename(part, target, what);
            done = true;
        } catch (ClosedByInterruptException _) {
            throw interrupted();
        } finally {
            if (created && !done) {
                discard(part);
            }
        }
        listener.file(name);
    }

    private FileHandle create(Place place, int mode, String what)
            throws IOException, InterruptedException {
        var created =
                mount.client()
                        .call(
                                new Nfs3Call.Create(
                                        place,
                                        new CreateMode.Unchecked(SetAttributes.ofMode(mode))),
                                what);
        return created.handle().isPresent()
                ? created.handle().get()
                : mount.lookup(place, what).handle();
    }

    /** What is left of a copy that failed is removed, if the server can still be asked to. */
    private void discard(Place part) {
        boolean interrupted = Thread.interrupted();
        for (int tries = 0; tries < DISCARDS_MAX; tries++) {
            try {
                mount.remove(part, "cannot remove " + part.name());
                break;
            } catch (IOException _) {
                // The failure that led here is the one to tell.
                break;
            } catch (InterruptedException _) {
                // A copy that fails can be cancelled too, by the failure of another.
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Makes a link on the server with the text of a local one, or leaves it out. */
    void putLink(Path source, Place target, String name, LeftOut leftOut)
            throws IOException, InterruptedException {
        var pointed = Files.readSymbolicLink(source);
        var text = LocalText.of(pointed);
        if (text.isEmpty()) {
            leftOut.add(name + " -> " + pointed);
            return;
        }
        var call =
                new Nfs3Call.MakeSymbolicLink(target, SetAttributes.NONE, PathName.of(text.get()));
        var what = "cannot make the link " + name;
        try {
            mount.client().call(call, what);
        } catch (NfsException exists) {
            if (exists.status() != Status.EXIST) {
                throw exists;
            }
            mount.remove(target, what);
            mount.client().call(call, what);
        }
        listener.file(name);
    }

    /** Makes a local link with the text of one on the server, or leaves it out. */
    void getLink(FileHandle link, String name, Path target, LeftOut leftOut)
            throws IOException, InterruptedException {
        var text = mount.client().readLink(link, "cannot read the link " + name);
        if (!text.isUtf8()) {
            leftOut.add(name + " -> " + text.escaped());
            return;
        }
        Path pointed;
        try {
            pointed = target.getFileSystem().getPath(text.toString());
        } catch (InvalidPathException strange) {
            throw new IOException("the link " + name + " cannot be made here", strange);
        }
        // Not even an empty folder is replaced: a server could have another's files go astray.
        if (Files.isDirectory(target, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileAlreadyExistsException(target.toString());
        }
        Files.deleteIfExists(target);
        Files.createSymbolicLink(target, pointed);
        listener.file(name);
    }
}
