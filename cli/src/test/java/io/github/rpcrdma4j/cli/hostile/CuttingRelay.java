package io.github.rpcrdma4j.cli.hostile;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A TCP relay that passes a limited number of bytes from a server on each connection. */
final class CuttingRelay implements AutoCloseable {
    private static final int BACKLOG = 64;
    private static final int BUFFER_BYTES = 4096;

    private final InetSocketAddress server;
    private final int bytes;
    private final boolean stalls;
    private final ServerSocket listener;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    /**
     * Starts a relay.
     *
     * @param bytes the limit per connection, from the server
     * @param stalls whether a connection then stays open but silent, instead of being closed
     */
    CuttingRelay(InetSocketAddress server, int bytes, boolean stalls) throws IOException {
        this.server = server;
        this.bytes = bytes;
        this.stalls = stalls;
        this.listener = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::acceptAll);
    }

    int port() {
        return listener.getLocalPort();
    }

    private void acceptAll() {
        try {
            while (true) {
                var client = listener.accept();
                var onwards = new Socket(server.getAddress(), server.getPort());
                client.setTcpNoDelay(true);
                onwards.setTcpNoDelay(true);
                sockets.add(client);
                sockets.add(onwards);
                Thread.ofVirtual().start(() -> copy(client, onwards, Long.MAX_VALUE));
                Thread.ofVirtual().start(() -> copy(onwards, client, bytes));
            }
        } catch (IOException _) {
            // The relay is closed.
        }
    }

    private void copy(Socket from, Socket to, long most) {
        byte[] buffer = new byte[BUFFER_BYTES];
        try (from;
                to) {
            long left = most;
            int count = from.getInputStream().read(buffer);
            while (count > 0) {
                int passed = (int) Math.min(count, left);
                to.getOutputStream().write(buffer, 0, passed);
                left -= passed;
                if (left == 0 && !stalls) {
                    return;
                }
                count = from.getInputStream().read(buffer);
            }
        } catch (IOException _) {
            // One side has ended the connection; both sockets are now closed.
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (var socket : sockets) {
            socket.close();
        }
    }
}
