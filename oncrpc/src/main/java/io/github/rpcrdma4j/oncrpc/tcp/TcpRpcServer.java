package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.memory.MemoryBudget;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.Timeouts;
import io.github.rpcrdma4j.oncrpc.spi.CallService;
import io.github.rpcrdma4j.oncrpc.spi.CallThreads;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Serves ONC RPC programs over TCP.
 *
 * <p>A virtual thread reads each connection. A call that its program does not declare cheap runs on
 * a thread of its own ({@link CallThreads}), so replies may leave in another order than calls
 * arrive. The server writes bulk results without copying them, from native memory or byte arrays.
 * Quotas bound the memory and calls of each client ({@link TcpRpcOptions}), so a client that does
 * not read its replies delays only itself.
 */
public final class TcpRpcServer implements AutoCloseable {
    private static final long POOL_BYTES = 64L << 20;
    private static final long ACCEPT_PAUSE_LEAST_NANOS = Duration.ofMillis(1).toNanos();
    private static final long ACCEPT_PAUSE_MOST_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long SELECT_MILLIS = Duration.ofSeconds(1).toMillis();
    private static final long PATROL_MAX_NANOS = Duration.ofSeconds(1).toNanos();
    private static final int PATROLS_PER_TIMEOUT = 4;

    /** The divisor of the memory budget that gives the most memory of one client. */
    private static final int CLIENT_PART = 4;

    private final TcpListeners listeners;
    private final List<InetSocketAddress> addresses;
    private final TcpRpcOptions options;
    private final FailureLog failures =
            new FailureLog(System.getLogger(TcpRpcServer.class.getName()));
    private final Counters counters = new Counters();
    private final SegmentPool pool;
    private final ClientQuotas quotas;
    private final CallThreads workers = CallThreads.create("rpc-tcp-call-", failures);
    private final Semaphore begun = new Semaphore(Integer.MAX_VALUE);
    private final ReadingThreads readers = new ReadingThreads();
    private final List<Thread> threads = new ArrayList<>();
    private final StreamService service;
    private final CompletableFuture<Throwable> failure = new CompletableFuture<>();

    /** The pause after the next failure to accept. Only the accepting thread uses it. */
    private long acceptPauseNanos = ACCEPT_PAUSE_LEAST_NANOS;

    private final CountDownLatch stopped = new CountDownLatch(1);

    private TcpRpcServer(
            TcpListeners listeners,
            CallService calls,
            TcpRpcOptions options,
            MemoryBudget budget,
            LongSupplier clock) {
        this.listeners = listeners;
        this.addresses = listeners.addresses();
        this.options = options;
        this.pool = new SegmentPool(POOL_BYTES, budget);
        long memory = budget.limit() / CLIENT_PART;
        this.quotas = new ClientQuotas(options, Math.min(options.bytesPerClientMax(), memory));
        this.service =
                new StreamService(
                        calls,
                        pool,
                        new ServedMemory(pool, quotas, this::evict),
                        workers,
                        begun,
                        counters,
                        options,
                        failures,
                        clock);
    }

    /**
     * Starts a server for programs.
     *
     * @param address the address to listen on; with port 0, the system chooses a free port
     * @param programs the programs to serve
     * @throws IOException if the address cannot be bound; the message is one line that names it
     * @throws IllegalArgumentException if versions of a program overlap
     */
    public static TcpRpcServer listen(
            InetSocketAddress address,
            Collection<? extends RpcProgram> programs,
            TcpRpcOptions options)
            throws IOException {
        return listen(address, new RpcDispatcher(programs), options);
    }

    /**
     * Starts a server for the programs of a dispatcher, or for connections that have handlers of
     * their own.
     *
     * @param address the address to listen on; with port 0, the system chooses a free port
     * @param calls a dispatcher, or another service that gives each connection its handler
     * @throws IOException if the address cannot be bound; the message is one line that names it
     */
    public static TcpRpcServer listen(
            InetSocketAddress address, CallService calls, TcpRpcOptions options)
            throws IOException {
        return listen(List.of(address), calls, options);
    }

    /**
     * Starts a server as {@link #listen(InetSocketAddress, CallService, TcpRpcOptions)} does, at
     * several addresses: at all of them, or not at all. Its limits hold for all connections
     * together.
     *
     * @param addresses at least one
     * @throws IOException if an address cannot be bound; the message is one line that names it
     * @throws IllegalArgumentException if there is no address
     */
    public static TcpRpcServer listen(
            List<InetSocketAddress> addresses, CallService calls, TcpRpcOptions options)
            throws IOException {
        return listen(addresses, calls, options, MemoryBudget.process(), System::nanoTime);
    }

    /**
     * Starts a server whose connections have handlers of their own.
     *
     * @param budget the budget of all memory for records and replies
     * @param clock the clock for the timeouts of connections, in nanoseconds of any origin
     */
    static TcpRpcServer listen(
            InetSocketAddress address,
            CallService calls,
            TcpRpcOptions options,
            MemoryBudget budget,
            LongSupplier clock)
            throws IOException {
        return listen(List.of(address), calls, options, budget, clock);
    }

    private static TcpRpcServer listen(
            List<InetSocketAddress> addresses,
            CallService calls,
            TcpRpcOptions options,
            MemoryBudget budget,
            LongSupplier clock)
            throws IOException {
        if (addresses.isEmpty()) {
            throw new IllegalArgumentException("a server needs an address to listen on");
        }
        FailureLog.preload();
        VirtualSockets.prepare();
        var listeners = TcpListeners.open(addresses);
        TcpRpcServer server = null;
        try {
            server = new TcpRpcServer(listeners, calls, options, budget, clock);
        } finally {
            if (server == null) {
                listeners.close();
            }
        }
        server.start();
        return server;
    }

    /**
     * Starts the accepting thread and the patrol thread. They are platform threads, so calls that
     * block virtual threads do not stop the server from accepting.
     */
    private void start() {
        threads.add(
                Thread.ofPlatform()
                        .daemon()
                        .name("tcp-accept-" + address().getPort())
                        .start(() -> untilStopped(this::acceptAll)));
        threads.add(
                Thread.ofPlatform()
                        .daemon()
                        .name("tcp-patrol-" + address().getPort())
                        .start(() -> untilStopped(this::patrol)));
    }

    /** Returns the first address at which the server listens, with the actual port. */
    public InetSocketAddress address() {
        return addresses.getFirst();
    }

    /** Returns the addresses at which the server listens, with the actual ports, as it got them. */
    public List<InetSocketAddress> addresses() {
        return addresses;
    }

    /** Returns the counters since the start. */
    public TcpRpcStatistics statistics() {
        return counters.values();
    }

    /** Returns the number of open connections. */
    public int openConnections() {
        return quotas.size();
    }

    /** Returns the number of clients with connections, calls in progress or memory. */
    public int clients() {
        return quotas.clients();
    }

    /**
     * Returns a stage that completes with the reason if the server cannot go on. The server may
     * still serve its connections, but it no longer accepts others, or no longer enforces timeouts.
     * After other failures the server goes on. The stage does not complete when the server is
     * closed.
     */
    public CompletionStage<Throwable> failure() {
        return failure.minimalCompletionStage();
    }

    /**
     * Returns the number of open memory leases: read buffers, unfinished records, calls in
     * progress.
     */
    public int leasedMemory() {
        return pool.leased();
    }

    /** The work of a thread that runs as long as the server. */
    private interface LongWork {
        void run() throws IOException, InterruptedException;
    }

    private void untilStopped(LongWork work) {
        Throwable reason;
        try {
            work.run();
            return;
        } catch (InterruptedException | IOException | RuntimeException | Error ended) {
            reason = ended;
        }
        if (stopped.getCount() > 0) {
            failures.report(
                    "the TCP server has failed and accepts no more connections, or enforces no"
                            + " timeouts",
                    reason);
            failure.complete(reason);
        }
    }

    /** Accepts connections until the server stops. */
    private void acceptAll() throws IOException, InterruptedException {
        while (stopped.getCount() > 0) {
            try {
                listeners.await(SELECT_MILLIS);
                // An evicted connection frees the descriptor for one accept, so the pause starts
                // again.
                listeners.acceptWaiting(
                        () -> acceptPauseNanos = ACCEPT_PAUSE_LEAST_NANOS, this::accept);
            } catch (ClosedChannelException | ClosedSelectorException deaf) {
                throw deaf;
            } catch (IOException | RuntimeException | Error failed) {
                // Usually no descriptor is left. Peers wait in the backlog meanwhile.
                failures.report("cannot accept a TCP connection", failed);
                freeDescriptor();
                stopped.await(acceptPauseNanos, TimeUnit.NANOSECONDS);
                acceptPauseNanos = Math.min(2 * acceptPauseNanos, ACCEPT_PAUSE_MOST_NANOS);
            }
            if (Thread.interrupted()) {
                throw new InterruptedException("the thread that accepts was interrupted");
            }
        }
    }

    /** Closes a connection, to free a descriptor for another one. */
    private void freeDescriptor() {
        try {
            quotas.evictLongestIdle().ifPresent(this::evict);
        } catch (RuntimeException | Error failed) {
            failures.report("cannot close a TCP connection", failed);
        }
    }

    private void evict(ClientQuotas.Connection connection) {
        counters.connectionsEvicted.increment();
        connection.close();
    }

    private void accept(SocketChannel channel) throws IOException {
        boolean served = false;
        try {
            served = serve(channel);
        } finally {
            if (!served) {
                channel.close();
            }
        }
    }

    /** Begins to serve a connection. Returns false if it is refused. */
    private boolean serve(SocketChannel channel) throws IOException {
        var peer = (InetSocketAddress) channel.getRemoteAddress();
        var local = (InetSocketAddress) channel.getLocalAddress();
        // This thread accepts no other connection before it knows whose this one is.
        var identity = service.calls().identifier().identify(peer, Optional.of(local));
        var admission = quotas.admit(identity.client(), peer);
        if (admission.isEmpty()) {
            counters.connectionsRefused.increment();
            return false;
        }
        admission.get().displaced().ifPresent(this::evict);
        var quota = admission.get().quota();
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        } catch (IOException _) {
            // The peer closed the connection before it was served.
            return false;
        }
        boolean beginsCalls = service.calls().beginsCalls();
        var socket =
                beginsCalls
                        ? new ServedSocket.NonBlocking(channel)
                        : new ServedSocket.Blocking(channel);
        var stream = new ServedStream(socket, peer, identity, quota, service);
        boolean served = false;
        try {
            quotas.add(stream).ifPresent(this::evict);
            if (beginsCalls) {
                readers.start(() -> serve(stream));
            } else {
                workers.execute(() -> serve(stream));
            }
            served = true;
            counters.connectionsOpened.increment();
        } catch (RejectedExecutionException _) {
            // The server is closing.
        } finally {
            if (!served) {
                quotas.remove(stream);
                socket.close();
                socket.free();
            }
        }
        return served;
    }

    private void serve(ServedStream stream) {
        try {
            stream.serve();
        } finally {
            quotas.remove(stream);
        }
    }

    /**
     * Looks at the connections until the server stops: for silent or slow peers, and for calls that
     * hang.
     */
    private void patrol() throws InterruptedException {
        long shortest =
                Math.min(
                        Timeouts.nanos(options.stallTimeout()),
                        Timeouts.nanos(options.idleTimeout()));
        long pause = Math.min(shortest / PATROLS_PER_TIMEOUT + 1, PATROL_MAX_NANOS);
        while (!stopped.await(pause, TimeUnit.NANOSECONDS)) {
            try {
                long now = service.clock().getAsLong();
                quotas.connections().forEach(each -> each.look(now));
                quotas.ended().forEach(each -> each.look(now));
                pool.budget().tidy();
            } catch (RuntimeException | Error failed) {
                failures.report("cannot check TCP connections for timeouts", failed);
            }
        }
    }

    /**
     * Stops the server. Interrupts calls in progress, and waits until they have ended. Closing
     * twice is harmless.
     */
    @Override
    public void close() {
        stopped.countDown();
        listeners.wakeup();
        threads.forEach(CallThreads::awaitEnd);
        listeners.close();
        workers.stop();
        readers.stop();
        quotas.connections().forEach(ClientQuotas.Connection::close);
        readers.close();
        begun.acquireUninterruptibly(Integer.MAX_VALUE);
        begun.release(Integer.MAX_VALUE);
        workers.close();
    }
}
