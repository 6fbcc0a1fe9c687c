package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.iwarp.observe.DirectionObserver;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.rpcrdma.wire.Received;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * A TCP relay between clients and a server that reads their messages. It can drop the reply to a
 * call: the server has carried out the call, but the connection ends before the client receives the
 * reply.
 */
final class LossyRelay implements AutoCloseable {
    private static final int NOTHING = -1;
    private static final int BUFFER_BYTES = 64 << 10;
    private static final int BACKLOG = 16;

    private final ServerSocket listener;
    private final InetSocketAddress server;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicInteger procedure = new AtomicInteger(NOTHING);
    private final AtomicInteger lost = new AtomicInteger();

    LossyRelay(String listen, InetSocketAddress server) throws IOException {
        this.server = server;
        listener = new ServerSocket(0, BACKLOG, InetAddress.getByName(listen));
        Thread.ofVirtual().start(this::acceptAll);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Drops the reply to the next call of a procedure, and closes its connection. */
    void loseReplyTo(int number) {
        procedure.set(number);
    }

    /** Returns the number of dropped replies. */
    int lost() {
        return lost.get();
    }

    /** Returns the number of sockets of connections that have not ended. */
    int openSockets() {
        return sockets.size();
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
            new Connection(client, upstream).start();
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

    /** Both directions of a connection. */
    private final class Connection {
        private final Socket client;
        private final Socket upstream;

        /** The XIDs of calls whose replies are to be dropped. */
        private final Set<Integer> repliesToDrop = ConcurrentHashMap.newKeySet();

        Connection(Socket client, Socket upstream) {
            this.client = client;
            this.upstream = upstream;
        }

        void start() {
            Thread.ofVirtual().start(() -> copy(client, upstream, this::forwardsCall));
            Thread.ofVirtual().start(() -> copy(upstream, client, this::forwardsReply));
        }

        /**
         * Copies one direction. It closes the connection instead of forwarding bytes that complete
         * a message to drop.
         */
        private void copy(Socket from, Socket to, Predicate<MemorySegment> forwards) {
            var observer = new DirectionObserver(true);
            byte[] buffer = new byte[BUFFER_BYTES];
            try (from;
                    to) {
                InputStream in = from.getInputStream();
                for (int count = in.read(buffer); count > 0; count = in.read(buffer)) {
                    observer.add(ByteBuffer.wrap(buffer, 0, count));
                    if (!forwardsAll(observer, forwards)) {
                        return;
                    }
                    to.getOutputStream().write(buffer, 0, count);
                }
            } catch (IOException _) {
                // One side ended, so this method closed the other.
            } finally {
                sockets.remove(from);
            }
        }

        private static boolean forwardsAll(
                DirectionObserver observer, Predicate<MemorySegment> forwardsMessage) {
            boolean all = true;
            for (var seen = observer.next(); seen != null; seen = observer.next()) {
                if (seen instanceof DirectionObserver.Seen.Segment segment
                        && segment.message().orElse(null)
                                instanceof DirectionObserver.Message.Send(var bytes)) {
                    all &= forwardsMessage.test(MemorySegment.ofArray(bytes));
                }
            }
            return all;
        }

        private boolean forwardsCall(MemorySegment message) {
            if (Received.byResponder(message) instanceof Received.Call call) {
                try {
                    var header = CallHeader.decode(new XdrReader(call.payload()));
                    if (procedure.compareAndSet(header.procedure(), NOTHING)) {
                        repliesToDrop.add(call.header().xid());
                    }
                } catch (XdrException _) {
                    // A long call; the relay drops only replies to short calls.
                }
            }
            return true;
        }

        private boolean forwardsReply(MemorySegment message) {
            if (Received.byRequester(message) instanceof Received.Reply reply
                    && repliesToDrop.remove(reply.header().xid())) {
                lost.incrementAndGet();
                return false;
            }
            return true;
        }
    }
}
