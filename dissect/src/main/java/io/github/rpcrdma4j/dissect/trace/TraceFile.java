package io.github.rpcrdma4j.dissect.trace;

import io.github.rpcrdma4j.capture.LinkLayer;
import io.github.rpcrdma4j.capture.Pcapng;
import io.github.rpcrdma4j.iwarp.tcp.IwarpTap;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.channels.Channels;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A pcapng file of all bytes that the connections of a provider carry. A frame is in the file
 * before the socket call that carried it returns to the provider. If the file can no longer be
 * written, the connections continue and {@link #close} reports the failure.
 *
 * <p>Thread-safe. Traced connections share a lock.
 */
public final class TraceFile implements IwarpTap, Closeable {
    /** It will have the data of all users. */
    private static final FileAttribute<?> OWNERS =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final Path file;
    private final OutputStream out;
    private final ReentrantLock lock = new ReentrantLock();
    private final long startNanos;
    private final long startTicks;
    private IOException failure;
    private boolean closed;

    private TraceFile(Path file, OutputStream out) throws IOException {
        this.file = file;
        this.out = out;
        var now = Instant.now();
        startNanos = TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
        startTicks = System.nanoTime();
        out.write(Pcapng.header(LinkLayer.ETHERNET));
    }

    /**
     * Creates a file that its owner alone may read, or replaces the contents of an existing one.
     *
     * @throws IOException if the file cannot be written, or is a symbolic link
     */
    public static TraceFile create(Path file) throws IOException {
        createPrivate(file);
        return of(
                file,
                Files.newOutputStream(
                        file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE,
                        LinkOption.NOFOLLOW_LINKS));
    }

    /**
     * Creates a file that its owner alone may read.
     *
     * @throws IOException if the file cannot be written, or exists: another user may have made it
     */
    public static TraceFile createNew(Path file) throws IOException {
        var options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        boolean hasModes = file.getFileSystem().supportedFileAttributeViews().contains("posix");
        var attributes = hasModes ? new FileAttribute<?>[] {OWNERS} : new FileAttribute<?>[0];
        return of(file, Channels.newOutputStream(Files.newByteChannel(file, options, attributes)));
    }

    private static TraceFile of(Path file, OutputStream out) throws IOException {
        try {
            return new TraceFile(file, out);
        } catch (IOException failed) {
            out.close();
            throw failed;
        }
    }

    /** Creates the file if there is none. It will have the data of all users. */
    private static void createPrivate(Path file) throws IOException {
        if (!file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            return;
        }
        try {
            Files.createFile(file, OWNERS);
        } catch (FileAlreadyExistsException _) {
            // It keeps its mode.
        }
    }

    @Override
    public Wire opened(InetSocketAddress local, InetSocketAddress remote, boolean initiator) {
        return new TracedConnection(this, local, remote, initiator);
    }

    /** Adds a packet; the caller {@linkplain #lock() holds} the lock. */
    void write(byte[] packet) {
        if (failure != null || closed) {
            return;
        }
        try {
            out.write(Pcapng.packet(startNanos + System.nanoTime() - startTicks, packet));
        } catch (IOException failed) {
            failure = failed;
        }
    }

    /** Returns the lock that guards the file and the state of its connections. */
    ReentrantLock lock() {
        return lock;
    }

    /**
     * Closes the file. Bytes that connections carry afterwards are not recorded.
     *
     * @throws IOException if not all bytes could be written
     */
    @Override
    public void close() throws IOException {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            out.close();
            if (failure != null) {
                throw new IOException(
                        "the trace " + file + " is incomplete: " + failure.getMessage(), failure);
            }
        } finally {
            lock.unlock();
        }
    }
}
