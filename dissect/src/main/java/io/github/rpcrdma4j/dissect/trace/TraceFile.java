package io.github.rpcrdma4j.dissect.trace;

import io.github.rpcrdma4j.capture.LinkLayer;
import io.github.rpcrdma4j.capture.Pcapng;
import io.github.rpcrdma4j.iwarp.tcp.IwarpTap;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A pcapng file of all that the connections of a provider carry. Every frame is in the file when
 * the call that carried it returns. When the file cannot be written any more the connections go on,
 * and {@link #close} tells.
 *
 * <p>Thread-safe. Connections share a lock while they are traced.
 */
public final class TraceFile implements IwarpTap, Closeable {
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
     * Starts a file, in place of one that is there.
     *
     * @throws IOException if it cannot be written
     */
    public static TraceFile create(Path file) throws IOException {
        var out = Files.newOutputStream(file);
        try {
            return new TraceFile(file, out);
        } catch (IOException failed) {
            out.close();
            throw failed;
        }
    }

    @Override
    public Wire opened(InetSocketAddress local, InetSocketAddress remote, boolean initiator) {
        return new TracedConnection(this, local, remote, initiator);
    }

    /** Adds a packet; the lock is {@linkplain #lock() held}. */
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

    /** Guards the file, and the connections that write to it. */
    ReentrantLock lock() {
        return lock;
    }

    /**
     * Ends the file; what connections carry from now on is lost.
     *
     * @throws IOException if not all of it could be written
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
                        "the trace " + file + " is not whole: " + failure.getMessage(), failure);
            }
        } finally {
            lock.unlock();
        }
    }
}
