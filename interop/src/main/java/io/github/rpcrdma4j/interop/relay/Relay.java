package io.github.rpcrdma4j.interop.relay;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** A TCP relay between clients and a server. */
public final class Relay implements AutoCloseable {
    private static final int BUFFER_BYTES = 64 << 10;
    private static final int BACKLOG = 16;

    private final ServerSocket listener;
    private final InetSocketAddress server;
    private final Supplier<Gate> gates;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    /** Decides on the bytes of one connection. Each direction has a thread of its own. */
    public interface Gate {
        /**
         * Returns whether bytes of the client go on. Otherwise the connection ends without them.
         */
        boolean passesToServer(ByteBuffer bytes) throws InterruptedException;

        /**
         * Returns whether bytes of the server go on. Otherwise the connection ends without them.
         */
        boolean passesToClient(ByteBuffer bytes) throws InterruptedException;
    }

    /** The decision of one direction. */
    private interface Direction {
        boolean passes(ByteBuffer bytes) throws InterruptedException;
    }

    /**
     * Starts to listen.
     *
     * @param listen an address of this host
     * @param gates makes the gate of a new connection
     */
    public Relay(String listen, InetSocketAddress server, Supplier<Gate> gates) throws IOException {
        this.server = server;
        this.gates = gates;
        listener = new ServerSocket(0, BACKLOG, InetAddress.getByName(listen));
        Thread.ofVirtual().start(this::acceptAll);
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** Returns the number of sockets of connections that have not ended. */
    int openSockets() {
        return sockets.size();
    }

    /** Ends all connections that have not ended. New ones are taken. */
    public void cut() throws IOException {
        for (var socket : sockets) {
            socket.close();
        }
    }

    private void acceptAll() {
        try {
            while (true) {
                relay(listener.accept());
            }
        } catch (IOException _) {
            // The relay was closed.
        }
    }

    private void relay(Socket client) {
        var upstream = new Socket();
        sockets.add(client);
        sockets.add(upstream);
        try {
            upstream.connect(server);
            client.setTcpNoDelay(true);
            upstream.setTcpNoDelay(true);
            var gate = gates.get();
            Thread.ofVirtual().start(() -> copy(client, upstream, gate::passesToServer));
            Thread.ofVirtual().start(() -> copy(upstream, client, gate::passesToClient));
        } catch (IOException _) {
            discard(upstream);
            discard(client);
        }
    }

    /** Closes one side of a connection that could not be made. */
    private void discard(Socket socket) {
        sockets.remove(socket);
        try {
            socket.close();
        } catch (IOException _) {
            // The connection is useless with or without a clean close.
        }
    }

    /** Copies one direction until it ends, or bytes do not pass. */
    private void copy(Socket from, Socket to, Direction direction) {
        byte[] buffer = new byte[BUFFER_BYTES];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            for (int count = in.read(buffer); count > 0; count = in.read(buffer)) {
                if (!direction.passes(ByteBuffer.wrap(buffer, 0, count))) {
                    return;
                }
                to.getOutputStream().write(buffer, 0, count);
            }
        } catch (IOException _) {
            // One side ended, so this method closed the other.
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } finally {
            sockets.remove(from);
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
            for (var socket : sockets) {
                socket.close();
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
