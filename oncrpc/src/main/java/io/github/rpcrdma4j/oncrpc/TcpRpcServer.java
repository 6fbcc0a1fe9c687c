package io.github.rpcrdma4j.oncrpc;

import io.github.rpcrdma4j.xdr.SegmentPool;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Serves RPC programs over TCP with record marking (RFC 5531, Section 11). One virtual thread reads
 * each connection, and every call runs on one of its own, a bounded number at a time.
 */
public final class TcpRpcServer implements AutoCloseable {
    private static final int CONNECTIONS_MAX = 1024;
    private static final int CALLS_MAX = 64;
    private static final long POOL_BYTES = 64L << 20;
    private static final int PADDING_MAX = 3;

    private final ServerSocketChannel server;
    private final InetSocketAddress address;
    private final RpcDispatcher dispatcher;
    private final SegmentPool pool = new SegmentPool(POOL_BYTES);
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Set<SocketChannel> connections = ConcurrentHashMap.newKeySet();

    private TcpRpcServer(
            ServerSocketChannel server, InetSocketAddress address, RpcDispatcher dispatcher) {
        this.server = server;
        this.address = address;
        this.dispatcher = dispatcher;
    }

    /**
     * Starts to serve.
     *
     * @param address where to listen; port 0 picks a free port
     * @throws IOException if the address cannot be bound
     */
    public static TcpRpcServer listen(
            InetSocketAddress address, Collection<? extends RpcProgram> programs)
            throws IOException {
        var channel = ServerSocketChannel.open();
        try {
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            channel.bind(address);
            var server =
                    new TcpRpcServer(
                            channel,
                            (InetSocketAddress) channel.getLocalAddress(),
                            new RpcDispatcher(programs));
            server.threads.execute(server::acceptAll);
            return server;
        } catch (IOException | RuntimeException failure) {
            channel.close();
            throw new IOException(
                    "cannot listen on "
                            + address.getHostString()
                            + ":"
                            + address.getPort()
                            + ": "
                            + failure.getMessage(),
                    failure);
        }
    }

    /** Where it listens, with the real port. */
    public InetSocketAddress address() {
        return address;
    }

    /** Leases of memory that are open; 0 when no call is in progress. */
    public int leasedMemory() {
        return pool.leased();
    }

    private void acceptAll() {
        while (server.isOpen()) {
            try {
                var channel = server.accept();
                if (connections.size() >= CONNECTIONS_MAX) {
                    channel.close();
                    continue;
                }
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                connections.add(channel);
                threads.execute(() -> serve(channel));
            } catch (IOException _) {
                // The server is closed, or a connection died while it was made.
            }
        }
    }

    private void serve(SocketChannel channel) {
        var turns = new Semaphore(CALLS_MAX);
        var writeLock = new ReentrantLock();
        try (channel) {
            var peer = (InetSocketAddress) channel.getRemoteAddress();
            var records = new RecordReader(channel, pool);
            while (true) {
                turns.acquire();
                var received = records.next();
                if (received == null) {
                    return;
                }
                threads.execute(
                        () -> {
                            answer(channel, peer, received, writeLock);
                            turns.release();
                        });
            }
        } catch (IOException | InterruptedException _) {
            // The peer is gone or breaks the rules, or the server stops.
        } finally {
            connections.remove(channel);
        }
    }

    private void answer(
            SocketChannel channel,
            InetSocketAddress peer,
            RecordReader.Received received,
            ReentrantLock writeLock) {
        try (var _ = received.memory();
                var reply = new XdrWriter(pool)) {
            if (dispatcher.dispatch(new XdrReader(received.message()), peer, pool, reply)) {
                write(channel, reply, writeLock);
            }
        } catch (IOException | InterruptedException _) {
            closeQuietly(channel);
        }
    }

    /** Writes a record: the stream, and between its parts the bulk items from where they lie. */
    static void write(SocketChannel channel, XdrWriter message, ReentrantLock writeLock)
            throws IOException {
        var pieces = new ArrayList<ByteBuffer>();
        pieces.add(null);
        var stream = message.reducedStream();
        long length = stream.byteSize();
        long from = 0;
        for (var item : message.bulkItems()) {
            add(pieces, stream.asSlice(from, item.offset() - from));
            from = item.offset();
            add(pieces, item.data());
            int padding = (int) (item.paddedLength() - item.data().byteSize());
            if (padding > 0) {
                pieces.add(ByteBuffer.allocate(PADDING_MAX).limit(padding));
            }
            length += item.paddedLength();
        }
        add(pieces, stream.asSlice(from));
        pieces.set(
                0, ByteBuffer.allocate(RecordMark.BYTES).putInt(RecordMark.ofWhole(length)).flip());
        var vector = pieces.toArray(ByteBuffer[]::new);
        writeLock.lock();
        try {
            for (long left = length + RecordMark.BYTES; left > 0; ) {
                left -= channel.write(vector);
            }
        } finally {
            writeLock.unlock();
        }
    }

    private static void add(ArrayList<ByteBuffer> pieces, MemorySegment piece) {
        if (piece.byteSize() > 0) {
            pieces.add(piece.asByteBuffer());
        }
    }

    private static void closeQuietly(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException _) {
            // It is of no use either way.
        }
    }

    /** Stops: connections are closed, calls in progress are interrupted and waited for. */
    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException _) {
            // It does not listen any more either way.
        }
        connections.forEach(TcpRpcServer::closeQuietly);
        threads.shutdownNow();
        threads.close();
    }
}
