package io.github.rpcrdma4j.rpcrdma.session;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A link to a server, for one TCP connection. In each direction it carries as many bytes as a test
 * allows, and at first all.
 */
public final class SlowLink implements AutoCloseable {
    private static final int BUFFER = 128 << 10;
    private static final int ALL = Integer.MAX_VALUE / 2;

    private final ServerSocket listener = new ServerSocket();
    private final InetSocketAddress server;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final Semaphore toServer = new Semaphore(ALL);
    private final Semaphore toClient = new Semaphore(ALL);
    private final AtomicLong carriedToServer = new AtomicLong();
    private final AtomicLong carriedToClient = new AtomicLong();

    public SlowLink(InetSocketAddress server) throws IOException {
        this.server = server;
        listener.setReceiveBufferSize(BUFFER);
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        Thread.ofVirtual().start(this::accept);
    }

    public InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    private void accept() {
        try {
            var client = listener.accept();
            var end = new Socket();
            sockets.addAll(List.of(client, end));
            end.setReceiveBufferSize(BUFFER);
            end.connect(server);
            client.setTcpNoDelay(true);
            end.setTcpNoDelay(true);
            Thread.ofVirtual().start(() -> carry(client, end, toServer, carriedToServer));
            Thread.ofVirtual().start(() -> carry(end, client, toClient, carriedToClient));
        } catch (IOException _) {
            // The test is over.
        }
    }

    /** Returns what the link may carry to the server, in bytes. */
    public Semaphore toServer() {
        return toServer;
    }

    /** Returns what the link may carry to the client, in bytes. */
    Semaphore toClient() {
        return toClient;
    }

    /** Returns how many bytes the link has carried to the server. */
    long carriedToServer() {
        return carriedToServer.get();
    }

    /** Returns how many bytes the link has carried to the client. */
    long carriedToClient() {
        return carriedToClient.get();
    }

    private static void carry(Socket from, Socket to, Semaphore allowed, AtomicLong carried) {
        byte[] bytes = new byte[BUFFER];
        try (from;
                to) {
            while (true) {
                allowed.acquireUninterruptibly();
                // Bytes stay in the socket of their sender until they are allowed.
                int wanted = Math.min(allowed.availablePermits(), BUFFER - 1);
                int more = allowed.tryAcquire(wanted) ? wanted : 0;
                int count = from.getInputStream().read(bytes, 0, 1 + more);
                if (count < 0) {
                    return;
                }
                to.getOutputStream().write(bytes, 0, count);
                carried.addAndGet(count);
                allowed.release(1 + more - count);
            }
        } catch (IOException _) {
            // One of the ends has closed the connection.
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
