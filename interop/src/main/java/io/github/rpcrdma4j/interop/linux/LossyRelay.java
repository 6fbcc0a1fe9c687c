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
 * Stands between clients and a server and reads what they say to each other. It can lose the reply
 * to a call: the server has carried it out, and the connection ends before the client hears of it.
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

    /** Loses the reply to the next call of that procedure, and its connection. */
    void loseReplyTo(int number) {
        procedure.set(number);
    }

    /** Replies that were lost. */
    int lost() {
        return lost.get();
    }

    private void acceptAll() {
        try {
            while (true) {
                relay(listener.accept());
            }
        } catch (IOException _) {
            // It is closed.
        }
    }

    private void relay(Socket client) {
        sockets.add(client);
        try {
            var onwards = new Socket(server.getAddress(), server.getPort());
            sockets.add(onwards);
            client.setTcpNoDelay(true);
            onwards.setTcpNoDelay(true);
            new Connection(client, onwards).start();
        } catch (IOException _) {
            closeQuietly(client);
        }
    }

    /** The server is gone. */
    private static void closeQuietly(Socket client) {
        try {
            client.close();
        } catch (IOException _) {
            // It is of no use either way.
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
        private final Socket onwards;

        /** The XIDs of calls whose replies are to be lost. */
        private final Set<Integer> doomed = ConcurrentHashMap.newKeySet();

        Connection(Socket client, Socket onwards) {
            this.client = client;
            this.onwards = onwards;
        }

        void start() {
            Thread.ofVirtual().start(() -> copy(client, onwards, this::isCallToGoOn));
            Thread.ofVirtual().start(() -> copy(onwards, client, this::isReplyToGoOn));
        }

        /** What is read is looked at before it goes on; it ends the connection if it must not. */
        private void copy(Socket from, Socket to, Predicate<MemorySegment> goesOn) {
            var observer = new DirectionObserver(true);
            byte[] buffer = new byte[BUFFER_BYTES];
            try (from;
                    to) {
                InputStream in = from.getInputStream();
                for (int count = in.read(buffer); count > 0; count = in.read(buffer)) {
                    observer.add(ByteBuffer.wrap(buffer, 0, count));
                    if (!goesOn(observer, goesOn)) {
                        return;
                    }
                    to.getOutputStream().write(buffer, 0, count);
                }
            } catch (IOException _) {
                // One side is gone, and now the other.
            } finally {
                sockets.remove(from);
            }
        }

        private static boolean goesOn(
                DirectionObserver observer, Predicate<MemorySegment> messageGoesOn) {
            boolean all = true;
            for (var seen = observer.next(); seen != null; seen = observer.next()) {
                if (seen instanceof DirectionObserver.Seen.Segment segment
                        && segment.message().orElse(null)
                                instanceof DirectionObserver.Message.Send(var bytes)) {
                    all &= messageGoesOn.test(MemorySegment.ofArray(bytes));
                }
            }
            return all;
        }

        private boolean isCallToGoOn(MemorySegment message) {
            if (Received.byResponder(message) instanceof Received.Call call) {
                try {
                    var header = CallHeader.decode(new XdrReader(call.payload()));
                    if (procedure.compareAndSet(header.procedure(), NOTHING)) {
                        doomed.add(call.header().xid());
                    }
                } catch (XdrException _) {
                    // A long call: not one of those.
                }
            }
            return true;
        }

        private boolean isReplyToGoOn(MemorySegment message) {
            if (Received.byRequester(message) instanceof Received.Reply reply
                    && doomed.remove(reply.header().xid())) {
                lost.incrementAndGet();
                return false;
            }
            return true;
        }
    }
}
