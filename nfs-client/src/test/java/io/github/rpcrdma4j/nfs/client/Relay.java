package io.github.rpcrdma4j.nfs.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A TCP relay between clients and a server, which can freeze or cut their connections on demand.
 */
public final class Relay implements AutoCloseable {
    private static final int BUFFER_BYTES = 64 << 10;

    private final ServerSocket listener;
    private final InetSocketAddress server;
    private final AtomicInteger connections = new AtomicInteger();
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    /** The ends at the server, by the port that it sees. */
    private final Map<Integer, Socket> ends = new ConcurrentHashMap<>();

    private final Set<Socket> frozen = ConcurrentHashMap.newKeySet();
    private volatile CountDownLatch gate = new CountDownLatch(0);

    public Relay(InetSocketAddress server) throws IOException {
        this.server = server;
        listener = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::acceptAll);
    }

    /** Returns how many connections were made through the relay. */
    public int connections() {
        return connections.get();
    }

    public InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    private void acceptAll() {
        try {
            while (true) {
                var accepted = listener.accept();
                gate.await();
                relay(accepted);
            }
        } catch (InterruptedException | IOException _) {
            // The relay is closed.
        }
    }

    private void relay(Socket client) {
        connections.incrementAndGet();
        sockets.add(client);
        try {
            var onwards = new Socket(server.getAddress(), server.getPort());
            sockets.add(onwards);
            ends.put(onwards.getLocalPort(), onwards);
            client.setTcpNoDelay(true);
            onwards.setTcpNoDelay(true);
            Thread.ofVirtual().start(() -> copy(client, onwards));
            Thread.ofVirtual().start(() -> copy(onwards, client));
        } catch (IOException _) {
            // The connection was cut at once, or the server is gone. A later connection may
            // succeed.
        }
    }

    private void copy(Socket from, Socket to) {
        try (from;
                to) {
            byte[] buffer = new byte[BUFFER_BYTES];
            for (int count = from.getInputStream().read(buffer);
                    count > 0;
                    count = from.getInputStream().read(buffer)) {
                if (!frozen.contains(to)) {
                    to.getOutputStream().write(buffer, 0, count);
                }
            }
        } catch (IOException _) {
            // One side has ended the connection; both sockets are now closed.
        }
    }

    /** Silently drops all further data of the current connections. */
    public void freeze() {
        frozen.addAll(sockets);
    }

    /**
     * Closes one connection.
     *
     * @param port from which it comes, as the server sees it
     */
    public void cut(int port) {
        try {
            ends.remove(port).close();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Lets later connections wait for {@link #release}. */
    public void hold() {
        gate = new CountDownLatch(1);
    }

    /** Closes all current connections. */
    public void cut() {
        for (var socket : sockets) {
            sockets.remove(socket);
            try {
                socket.close();
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
    }

    /** Closes all current connections, and lets later ones wait for {@link #release}. */
    public void cutAndHold() {
        hold();
        cut();
    }

    /** Lets the connections go on that wait. */
    public void release() {
        gate.countDown();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        release();
        cut();
    }
}
