package io.github.rpcrdma4j.rpcrdma;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.CallThreads;
import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.oncrpc.FailureLog;
import io.github.rpcrdma4j.oncrpc.RpcDispatcher;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.Timeouts;
import io.github.rpcrdma4j.rpcrdma.responder.BrokenCalls;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.lang.System.Logger;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Serves ONC RPC programs over RDMA.
 *
 * <p>A few threads poll all connections between them, and carry out calls that their programs
 * declare cheap, or usually quick, as long as they are; others run on virtual threads of their own,
 * and those that wait in system calls on platform threads. A program may call its caller back on
 * the connection that the call came by: {@link io.github.rpcrdma4j.oncrpc.RpcRequest#reverse}.
 * Closing the server ends its connections and waits for the calls in progress.
 */
public final class RpcRdmaServer implements AutoCloseable {
    private static final Logger LOG = System.getLogger(RpcRdmaServer.class.getName());
    private static final long POOL_BYTES = 256L << 20;
    private static final int POLLERS_MAX = 4;
    private static final Duration ACCEPT_TURN = Duration.ofMillis(500);
    private static final long PATROL_MAX_NANOS = Duration.ofSeconds(1).toNanos();
    private static final int PATROLS_PER_TIMEOUT = 4;

    /** How long all peers together have to take what was sent last, when the server stops. */
    private static final Duration CLOSE_GRACE = Duration.ofSeconds(1);

    /** What is said when a mistake of ours has cost a connection. */
    static final String INTERNAL_ERROR = "a connection was closed by an internal error";

    private final Listener listener;
    private final ServingSide.Service service;
    private final RpcRdmaOptions options;
    private final Statistics statistics = new Statistics();
    private final Statistics reverseStatistics = new Statistics();
    private final SegmentPool pool;

    /** Of all connections: slabs of the pool are registered once. */
    private final ProtectionDomain domain;

    private final ServedConnections connections;
    private final List<Thread> threads = new ArrayList<>();
    private final Pollers pollers;
    private final FailureLog failures = new FailureLog(LOG);
    private final CallThreads workers = new CallThreads("rpcrdma-call-", failures);
    private final CompletableFuture<Throwable> failure = new CompletableFuture<>();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private volatile boolean closing;

    private RpcRdmaServer(
            RdmaProvider provider,
            Listener listener,
            RpcDispatcher dispatcher,
            Bindings bindings,
            RpcRdmaOptions options,
            SegmentPool pool) {
        this.listener = listener;
        this.service =
                new ServingSide.Service(
                        dispatcher,
                        bindings,
                        workers,
                        new BrokenCalls(),
                        new QuickCalls(),
                        failures);
        this.options = options;
        this.pool = pool;
        int count = Math.min(POLLERS_MAX, Runtime.getRuntime().availableProcessors());
        this.pollers =
                new Pollers(
                        count,
                        provider::createCompletionQueue,
                        this::takeAll,
                        failures,
                        failure::complete);
        this.domain = provider.allocateProtectionDomain();
        var shared =
                new ServedConnection.Shared(
                        provider, domain, pool, service, statistics, reverseStatistics, options);
        this.connections =
                new ServedConnections(
                        options,
                        statistics,
                        pool.budget(),
                        pollers::wakeup,
                        (request, queue, account) ->
                                new ServedConnection(shared, request, queue, account, this::ended),
                        failures);
    }

    /**
     * Starts to serve.
     *
     * @param provider who moves the octets
     * @param address where to listen; port 0 picks a free port
     * @param programs what is served
     * @param bindings which of their data items may be placed directly
     * @throws RdmaException if the address cannot be bound
     * @throws IllegalArgumentException if two programs have a number and a version in common
     */
    public static RpcRdmaServer listen(
            RdmaProvider provider,
            InetSocketAddress address,
            Collection<? extends RpcProgram> programs,
            Collection<? extends UpperLayerBinding> bindings,
            RpcRdmaOptions options)
            throws RdmaException {
        return listen(provider, address, new RpcDispatcher(programs), bindings, options);
    }

    /**
     * Starts to serve what a dispatcher has.
     *
     * @param provider who moves the octets
     * @param address where to listen; port 0 picks a free port
     * @param bindings which data items of the programs may be placed directly
     * @throws RdmaException if the address cannot be bound
     */
    public static RpcRdmaServer listen(
            RdmaProvider provider,
            InetSocketAddress address,
            RpcDispatcher dispatcher,
            Collection<? extends UpperLayerBinding> bindings,
            RpcRdmaOptions options)
            throws RdmaException {
        return listen(
                provider, address, dispatcher, bindings, options, new SegmentPool(POOL_BYTES));
    }

    /**
     * Starts to serve with memory of a pool.
     *
     * @param pool of which all memory is taken
     */
    static RpcRdmaServer listen(
            RdmaProvider provider,
            InetSocketAddress address,
            RpcDispatcher dispatcher,
            Collection<? extends UpperLayerBinding> bindings,
            RpcRdmaOptions options,
            SegmentPool pool)
            throws RdmaException {
        FailureLog.warmUp();
        var server =
                new RpcRdmaServer(
                        provider,
                        provider.listen(address, ClientAddress::of),
                        dispatcher,
                        new Bindings(bindings),
                        options,
                        pool);
        server.start();
        return server;
    }

    private void start() {
        pollers.start();
        threads.add(Thread.ofPlatform().daemon().name("rpcrdma-accept").start(this::acceptAll));
        threads.add(Thread.ofPlatform().daemon().name("rpcrdma-patrol").start(this::patrol));
    }

    /** Where it listens, with the real port. */
    public InetSocketAddress address() {
        return listener.address();
    }

    /** What was counted since the start. */
    public Statistics statistics() {
        return statistics;
    }

    /** What was counted of the calls that programs made back to clients. */
    public Statistics reverseStatistics() {
        return reverseStatistics;
    }

    /** Connections that are open now. */
    public int openConnections() {
        return connections.count();
    }

    /** Clients that have connections or calls in progress now; see {@link ClientAddress}. */
    public int clients() {
        return connections.clients();
    }

    /** Peers that were turned away before they had said what they want. */
    public long turnedAway() {
        return listener.turnedAway();
    }

    /** Memory regions that are registered now, over all connections. */
    public int registeredRegions() {
        return (int) connections.sum(ServedConnection::registeredRegions);
    }

    /** Calls that have taken a credit and have no reply yet, over all connections. */
    public int callsInProgress() {
        return (int) connections.sum(ServedConnection::callsInProgress);
    }

    /**
     * Leases of memory that are open now: posted receives, what calls in progress use, and for each
     * connection a small one for every short call that it had in progress at a time.
     */
    public int leasedMemory() {
        return pool.leased();
    }

    /**
     * Completes, with the reason, when the server cannot let peers in any more or serve them, and
     * does not recover by itself: the process is then of no use and had better end. Never completes
     * otherwise. What depends on it runs on a thread of the server, and must not wait for it.
     */
    public CompletionStage<Throwable> failure() {
        return failure.minimalCompletionStage();
    }

    private void acceptAll() {
        var lastResort = new LastResort("cannot accept", failures, failure::complete);
        int next = 0;
        long shortages = 0;
        while (!closing) {
            try {
                var request = listener.accept(ACCEPT_TURN);
                if (request.isPresent()) {
                    connections.accept(request.get(), pollers.queue(next++));
                }
                if (listener.shortages() != shortages) {
                    shortages = listener.shortages();
                    connections.makeRoom();
                }
                lastResort.succeeded();
            } catch (Throwable failed) {
                // An interrupt does not stop this thread: a flag does.
                if (!closing) {
                    lastResort.failed(failed);
                }
            }
        }
    }

    /** Looks after peers that do nothing. */
    private void patrol() {
        long pause = pause();
        var lastResort = new LastResort("cannot look after peers", failures, failure::complete);
        while (stopped.getCount() > 0) {
            try {
                if (stopped.await(pause, TimeUnit.NANOSECONDS)) {
                    return;
                }
                // What was taken long ago may not have been noticed yet.
                pollers.wakeup();
                connections.patrol(System.nanoTime());
                lastResort.succeeded();
            } catch (Throwable failed) {
                lastResort.failed(failed);
            }
        }
    }

    private long pause() {
        var limits = options.peerLimits();
        long shortest =
                Math.min(
                        Timeouts.nanos(limits.takeTimeout()), Timeouts.nanos(limits.giveTimeout()));
        shortest = Math.min(shortest, Timeouts.nanos(options.idleTimeout()));
        if (options.rfc5666().isPresent()) {
            shortest = Math.min(shortest, Timeouts.nanos(options.rfc5666().get().doneTimeout()));
        }
        var fetched = options.version2().flatMap(Version2::fetchedReplies);
        if (fetched.isPresent()) {
            shortest = Math.min(shortest, Timeouts.nanos(fetched.get().hold()));
        }
        return Math.min(shortest / PATROLS_PER_TIMEOUT + 1, PATROL_MAX_NANOS);
    }

    private void ended(ServedConnection connection) {
        connections.end(connection, "the connection is gone");
    }

    /** What one connection has to do in a turn is done in one go. */
    private void takeAll(List<Completion> completions, Turn turn) {
        int from = 0;
        while (from < completions.size()) {
            var queuePair = completions.get(from).queuePair();
            int to = from + 1;
            while (to < completions.size() && completions.get(to).queuePair() == queuePair) {
                to++;
            }
            var connection = connections.of(queuePair);
            if (connection != null) {
                take(connection, completions, from, to, turn);
            }
            from = to;
        }
    }

    private void take(
            ServedConnection connection,
            List<Completion> completions,
            int from,
            int to,
            Turn turn) {
        try {
            connection.completed(completions, from, to, turn);
        } catch (RuntimeException | Error broken) {
            // Our own mistake costs the connection it happened on, and no other.
            failures.report(INTERNAL_ERROR, broken);
            ended(connection);
        }
    }

    /** Stops. Calls in progress are interrupted and waited for. Closing twice is harmless. */
    @Override
    public void close() {
        closing = true;
        stopped.countDown();
        listener.close();
        pollers.stop();
        threads.forEach(Pollers::join);
        connections.endAll("the server is stopping", CLOSE_GRACE);
        workers.close();
        pollers.close();
        domain.close();
        threads.clear();
    }
}
