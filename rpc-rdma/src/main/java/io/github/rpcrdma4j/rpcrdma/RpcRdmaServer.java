package io.github.rpcrdma4j.rpcrdma;

import io.github.rpcrdma4j.oncrpc.RpcDispatcher;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.rpcrdma.responder.BrokenCalls;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.ConnectRequest;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.SegmentPool;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Serves ONC RPC programs over RDMA.
 *
 * <p>A few threads poll all connections between them, and carry out calls that their programs
 * declare cheap, or usually quick, as long as they are; others run on virtual threads of their own.
 * A program may call its caller back on the connection that the call came by: {@link
 * io.github.rpcrdma4j.oncrpc.RpcRequest#reverse}. Closing the server ends its connections and waits
 * for the calls in progress.
 */
public final class RpcRdmaServer implements AutoCloseable {
    private static final Logger LOG = System.getLogger(RpcRdmaServer.class.getName());
    private static final long POOL_BYTES = 256L << 20;
    private static final int POLLERS_MAX = 4;
    private static final Duration ACCEPT_TURN = Duration.ofMillis(500);
    private static final long PATROL_MAX_NANOS = Duration.ofSeconds(1).toNanos();
    private static final int PATROLS_PER_TIMEOUT = 4;

    private final RdmaProvider provider;
    private final Listener listener;
    private final ServingSide.Service service;
    private final RpcRdmaOptions options;
    private final Statistics statistics = new Statistics();
    private final Statistics reverseStatistics = new Statistics();
    private final SegmentPool pool = new SegmentPool(POOL_BYTES);
    private final Map<QueuePair, ServedConnection> connections = new ConcurrentHashMap<>();
    private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Thread> threads = new ArrayList<>();
    private final Pollers pollers;
    private final ClientAccounts accounts;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private volatile boolean closing;

    private RpcRdmaServer(
            RdmaProvider provider,
            Listener listener,
            RpcDispatcher dispatcher,
            Bindings bindings,
            RpcRdmaOptions options) {
        this.provider = provider;
        this.listener = listener;
        this.service =
                new ServingSide.Service(
                        dispatcher, bindings, workers, new BrokenCalls(), new QuickCalls());
        this.options = options;
        int count = Math.min(POLLERS_MAX, Runtime.getRuntime().availableProcessors());
        this.pollers = new Pollers(count, provider::createCompletionQueue, this::takeAll);
        this.accounts = new ClientAccounts(options, statistics, pollers::wakeup);
    }

    /**
     * Starts to serve.
     *
     * @param provider who moves the octets
     * @param address where to listen; port 0 picks a free port
     * @param programs what is served
     * @param bindings which of their data items may be placed directly
     * @throws RdmaException if the address cannot be bound
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
        var server =
                new RpcRdmaServer(
                        provider,
                        provider.listen(address),
                        dispatcher,
                        new Bindings(bindings),
                        options);
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
        return connections.size();
    }

    /** Addresses that have connections or calls in progress now. */
    public int clients() {
        return accounts.count();
    }

    /** Peers that were turned away before they had said what they want. */
    public long turnedAway() {
        return listener.turnedAway();
    }

    /** Memory regions that are registered now, over all connections. */
    public int registeredRegions() {
        return connections.values().stream().mapToInt(ServedConnection::registeredRegions).sum();
    }

    /** Calls that have taken a credit and have no reply yet, over all connections. */
    public int callsInProgress() {
        return connections.values().stream().mapToInt(ServedConnection::callsInProgress).sum();
    }

    /**
     * Leases of memory that are open now: posted receives, what calls in progress use, and for each
     * connection a small one for every short call that it had in progress at a time.
     */
    public int leasedMemory() {
        return pool.leased();
    }

    private void acceptAll() {
        int next = 0;
        while (!closing) {
            try {
                var request = listener.accept(ACCEPT_TURN);
                if (request.isPresent()) {
                    accept(request.get(), pollers.queue(next++));
                }
            } catch (RdmaException failure) {
                if (!closing) {
                    LOG.log(Level.ERROR, () -> "cannot accept: " + failure.getMessage());
                }
                return;
            } catch (InterruptedException _) {
                return;
            }
        }
    }

    private void accept(ConnectRequest request, CompletionQueue queue) {
        if (connections.size() >= options.connectionsMax()) {
            refuse(request);
            return;
        }
        var account = accounts.admit(request.peer().getAddress());
        if (account.isEmpty()) {
            refuse(request);
            return;
        }
        var connection =
                new ServedConnection(
                        provider,
                        request,
                        queue,
                        pool,
                        service,
                        statistics,
                        reverseStatistics,
                        account.get(),
                        options);
        connections.put(connection.queuePair(), connection);
        try {
            connection.accept(request, options.privateData());
            statistics.count(Counter.CONNECTIONS_OPENED);
        } catch (RdmaException gone) {
            connections.remove(connection.queuePair());
            connection.close(gone.getMessage());
            accounts.leave(connection.account());
        }
    }

    private void refuse(ConnectRequest request) {
        statistics.count(Counter.CONNECTIONS_REFUSED);
        request.reject(new byte[0]);
    }

    /** Looks after peers that do nothing. */
    private void patrol() {
        var limits = options.peerLimits();
        long shortest = Math.min(limits.takeTimeout().toNanos(), limits.giveTimeout().toNanos());
        if (options.rfc5666().isPresent()) {
            shortest = Math.min(shortest, options.rfc5666().get().doneTimeout().toNanos());
        }
        var fetched = options.version2().flatMap(Version2::fetchedReplies);
        if (fetched.isPresent()) {
            shortest = Math.min(shortest, fetched.get().hold().toNanos());
        }
        long pause = Math.min(shortest / PATROLS_PER_TIMEOUT + 1, PATROL_MAX_NANOS);
        try {
            while (!stopped.await(pause, TimeUnit.NANOSECONDS)) {
                // What was taken long ago may not have been noticed yet.
                pollers.wakeup();
                long now = System.nanoTime();
                for (var connection : connections.values()) {
                    connection.stalled(now).ifPresent(reason -> stalled(connection, reason));
                }
            }
        } catch (InterruptedException _) {
            // The server is stopping.
        }
    }

    private void stalled(ServedConnection connection, String reason) {
        statistics.count(Counter.PEERS_STALLED);
        end(connection, reason);
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
            var connection = connections.get(queuePair);
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
        boolean alive = false;
        try {
            alive = connection.completed(completions, from, to, turn);
        } catch (RuntimeException | AssertionError broken) {
            // Our own mistake costs the connection it happened on, and no other.
            LOG.log(Level.ERROR, "a connection was closed by an internal error", broken);
        }
        if (!alive) {
            end(connection, "the connection is gone");
        }
    }

    private void end(ServedConnection connection, String reason) {
        if (connections.remove(connection.queuePair()) != null) {
            connection.close(reason);
            accounts.leave(connection.account());
            statistics.count(Counter.CONNECTIONS_ENDED);
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
        List.copyOf(connections.values()).forEach(each -> end(each, "the server is stopping"));
        workers.shutdownNow();
        workers.close();
        pollers.close();
        threads.clear();
    }
}
