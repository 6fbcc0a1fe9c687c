package io.github.rpcrdma4j.cli.metrics;

import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * Accepts connections that carry one request of HTTP each. There are few, and when there is no room
 * for a new one, one of the client with the most ends: first those that have sent no whole request,
 * the oldest first. So peers that are silent, or slow, keep nobody out.
 *
 * <p>Tests: {@code MetricsTest}.
 */
final class HttpConnections implements AutoCloseable {
    /** So many peers can be served at a time. */
    static final int CONNECTIONS_MAX = 64;

    private static final int BACKLOG = 32;

    /** The most bytes of the head of a request, and of what is thrown away behind it. */
    private static final int REQUEST_MAX = 16384;

    /** How long a peer may take for its request, and for the whole exchange. */
    private static final int REQUEST_MILLIS = 5_000;

    private static final int EXCHANGE_MILLIS = 15_000;

    /** How often connections that take too long are looked for. */
    private static final int LOOK_MILLIS = 1_000;

    /** How long an end of a connection waits for the peer to end it too. */
    private static final int END_MILLIS = 500;

    private static final long NANOS = 1_000_000;
    private static final String HEAD_END = "\r\n\r\n";

    private final ServerSocket listening;
    private final Handler handler;

    /** The open connections, the oldest first. */
    private final Map<Socket, Peer> open = new LinkedHashMap<>();

    /** Answers the head of a request. */
    interface Handler {
        /**
         * @param head without the empty line at its end
         * @return the whole response
         */
        byte[] answer(String head, Socket connection);
    }

    private static final class Peer {
        private final ClientAddress address;
        private final long since = System.nanoTime();
        private boolean hasAsked;

        Peer(ClientAddress address) {
            this.address = address;
        }
    }

    private HttpConnections(ServerSocket listening, Handler handler) {
        this.listening = listening;
        this.handler = handler;
    }

    /**
     * Accepts connections until this is closed.
     *
     * @throws IOException if the address cannot be used; the message is one line that names it
     */
    static HttpConnections listen(InetSocketAddress address, Handler handler) throws IOException {
        try {
            var listening = new ServerSocket(address.getPort(), BACKLOG, address.getAddress());
            listening.setSoTimeout(LOOK_MILLIS);
            var connections = new HttpConnections(listening, handler);
            Thread.ofPlatform().name("metrics").daemon().start(connections::accept);
            return connections;
        } catch (IOException refused) {
            throw new IOException(
                    "cannot listen on " + HostPort.text(address) + ": " + refused.getMessage(),
                    refused);
        }
    }

    /** Returns where it listens, with the actual port, and without a name. */
    InetSocketAddress address() {
        byte[] address = listening.getInetAddress().getAddress();
        try {
            return new InetSocketAddress(
                    InetAddress.getByAddress(address), listening.getLocalPort());
        } catch (UnknownHostException impossible) {
            throw new AssertionError("it has the length of an address", impossible);
        }
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                var socket = listening.accept();
                add(socket);
                Thread.ofVirtual().name("metrics").start(() -> serve(socket));
            } catch (SocketTimeoutException _) {
                endSlow();
            } catch (IOException _) {
                // No descriptor is left, or this was closed.
                endSlow();
                LockSupport.parkNanos(LOOK_MILLIS * NANOS / 10);
            }
        }
    }

    private synchronized void add(Socket socket) {
        endSlow();
        if (open.size() >= CONNECTIONS_MAX) {
            var ended = surplus();
            open.remove(ended);
            close(ended);
        }
        open.put(socket, new Peer(ClientAddress.of(socket.getInetAddress())));
    }

    private synchronized void endSlow() {
        long now = System.nanoTime();
        open.entrySet()
                .removeIf(
                        each -> {
                            boolean isSlow = now - each.getValue().since > EXCHANGE_MILLIS * NANOS;
                            if (isSlow) {
                                close(each.getKey());
                            }
                            return isSlow;
                        });
    }

    /** Returns the connection that makes room. */
    private Socket surplus() {
        var counts = new HashMap<ClientAddress, Integer>();
        open.values().forEach(each -> counts.merge(each.address, 1, Integer::sum));
        int most = counts.values().stream().mapToInt(each -> each).max().orElseThrow();
        Optional<Socket> oldest = Optional.empty();
        for (var each : open.entrySet()) {
            if (counts.get(each.getValue().address) == most) {
                if (!each.getValue().hasAsked) {
                    return each.getKey();
                }
                oldest = oldest.or(() -> Optional.of(each.getKey()));
            }
        }
        return oldest.orElseThrow();
    }

    private synchronized void asked(Socket socket) {
        var peer = open.get(socket);
        if (peer != null) {
            peer.hasAsked = true;
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            var head = head(socket);
            if (head.isPresent()) {
                asked(socket);
                socket.getOutputStream().write(handler.answer(head.get(), socket));
                end(socket);
            }
        } catch (IOException _) {
            // The peer is gone, or was too slow.
        } finally {
            synchronized (this) {
                open.remove(socket);
            }
        }
    }

    /** Reads the head of a request; empty if there is none in time, or if it is too long. */
    private static Optional<String> head(Socket socket) throws IOException {
        long deadline = System.nanoTime() + REQUEST_MILLIS * NANOS;
        var read = new ByteArrayOutputStream();
        var buffer = new byte[4096];
        while (read.size() <= REQUEST_MAX) {
            long left = (deadline - System.nanoTime()) / NANOS;
            if (left <= 0) {
                return Optional.empty();
            }
            socket.setSoTimeout((int) left);
            int count = socket.getInputStream().read(buffer);
            if (count < 0) {
                return Optional.empty();
            }
            read.write(buffer, 0, count);
            var text = read.toString(StandardCharsets.ISO_8859_1);
            int end = text.indexOf(HEAD_END);
            if (end >= 0) {
                return Optional.of(text.substring(0, end));
            }
        }
        return Optional.empty();
    }

    /** Waits until the peer has the response: bytes that nobody reads would take it away. */
    private static void end(Socket socket) throws IOException {
        socket.shutdownOutput();
        socket.setSoTimeout(END_MILLIS);
        socket.getInputStream().readNBytes(REQUEST_MAX);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException _) {
            // It is closed.
        }
    }

    /** Ends all connections. */
    @Override
    public void close() {
        try {
            listening.close();
        } catch (IOException _) {
            // It is closed.
        }
        synchronized (this) {
            open.keySet().forEach(HttpConnections::close);
            open.clear();
        }
    }
}
