package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.oncrpc.RpcDispatcher;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.xdr.SegmentPool;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;

/**
 * Serves ONC RPC programs over TCP.
 *
 * <p>A virtual thread reads each connection; a call that its program does not declare cheap runs on
 * a virtual thread of its own, so replies come in any order. Bulk results are written from where
 * they lie: native memory, or byte arrays.
 */
public final class TcpRpcServer implements AutoCloseable {
    private static final Logger LOG = System.getLogger(TcpRpcServer.class.getName());
    private static final long POOL_BYTES = 64L << 20;
    private static final int BACKLOG = 128;
    private static final long ACCEPT_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long PATROL_MAX_NANOS = Duration.ofSeconds(1).toNanos();
    private static final int PATROLS_PER_TIMEOUT = 4;

    private final ServerSocketChannel listener;
    private final InetSocketAddress address;
    private final RpcDispatcher dispatcher;
    private final TcpRpcOptions options;
    private final Semaphore calls;
    private final Counters counters = new Counters();
    private final SegmentPool pool = new SegmentPool(POOL_BYTES);
    private final Set<ServedStream> streams = ConcurrentHashMap.newKeySet();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private volatile boolean closing;

    private TcpRpcServer(
            ServerSocketChannel listener, RpcDispatcher dispatcher, TcpRpcOptions options)
            throws IOException {
        this.listener = listener;
        this.address = (InetSocketAddress) listener.getLocalAddress();
        this.dispatcher = dispatcher;
        this.options = options;
        this.calls = new Semaphore(options.callsMax(), true);
    }

    /**
     * Starts to serve.
     *
     * @param address where to listen; port 0 picks a free port
     * @param programs what is served
     * @throws IOException if the address cannot be bound; the message is one line that names it
     */
    public static TcpRpcServer listen(
            InetSocketAddress address,
            Collection<? extends RpcProgram> programs,
            TcpRpcOptions options)
            throws IOException {
        return listen(address, new RpcDispatcher(programs), options);
    }

    /**
     * Starts to serve what a dispatcher has.
     *
     * @param address where to listen; port 0 picks a free port
     * @throws IOException if the address cannot be bound; the message is one line that names it
     */
    public static TcpRpcServer listen(
            InetSocketAddress address, RpcDispatcher dispatcher, TcpRpcOptions options)
            throws IOException {
        var listener = ServerSocketChannel.open();
        TcpRpcServer server;
        try {
            listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            listener.bind(address, BACKLOG);
            server = new TcpRpcServer(listener, dispatcher, options);
        } catch (UnresolvedAddressException _) {
            listener.close();
            throw new IOException("cannot listen on " + HostPort.text(address) + ": unknown host");
        } catch (IOException failure) {
            listener.close();
            throw new IOException(
                    "cannot listen on " + HostPort.text(address) + ": " + failure.getMessage(),
                    failure);
        }
        server.threads.execute(server::acceptAll);
        server.threads.execute(server::patrol);
        return server;
    }

    /** Where it listens, with the real port. */
    public InetSocketAddress address() {
        return address;
    }

    /** What was counted since the start. */
    public TcpRpcStatistics statistics() {
        return counters.values();
    }

    /** Connections that are open now. */
    public int openConnections() {
        return streams.size();
    }

    /** Leases of memory that are open now: read buffers, unfinished records, calls in progress. */
    public int leasedMemory() {
        return pool.leased();
    }

    private void acceptAll() {
        while (!closing) {
            try {
                accept(listener.accept());
            } catch (ClosedChannelException _) {
                return;
            } catch (IOException failure) {
                LOG.log(Level.ERROR, () -> "cannot accept: " + failure.getMessage());
                LockSupport.parkNanos(ACCEPT_PAUSE_NANOS);
            }
        }
    }

    private void accept(SocketChannel channel) throws IOException {
        var client = ((InetSocketAddress) channel.getRemoteAddress()).getAddress();
        if (streams.size() >= options.connectionsMax()
                || streams.stream().filter(each -> each.isFrom(client)).count()
                        >= options.connectionsPerClientMax()) {
            counters.connectionsRefused.increment();
            channel.close();
            return;
        }
        ServedStream stream;
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            stream = new ServedStream(channel, dispatcher, pool, threads, calls, counters, options);
        } catch (IOException _) {
            // The peer left before it was let in.
            channel.close();
            return;
        }
        streams.add(stream);
        counters.connectionsOpened.increment();
        try {
            threads.execute(() -> serve(stream));
        } catch (RejectedExecutionException _) {
            stream.close();
            streams.remove(stream);
        }
    }

    private void serve(ServedStream stream) {
        try {
            stream.serve();
        } finally {
            streams.remove(stream);
        }
    }

    /** Looks after connections whose peers do nothing. */
    private void patrol() {
        long shortest = Math.min(options.stallTimeout().toNanos(), options.idleTimeout().toNanos());
        long pause = Math.min(shortest / PATROLS_PER_TIMEOUT + 1, PATROL_MAX_NANOS);
        while (!closing) {
            LockSupport.parkNanos(pause);
            long now = System.nanoTime();
            streams.forEach(stream -> stream.closeIfOverdue(now));
        }
    }

    /** Stops. Calls in progress are interrupted and waited for. Closing twice is harmless. */
    @Override
    public void close() {
        closing = true;
        try {
            listener.close();
        } catch (IOException _) {
            // It is closed all the same.
        }
        threads.shutdownNow();
        streams.forEach(ServedStream::close);
        threads.close();
    }
}
