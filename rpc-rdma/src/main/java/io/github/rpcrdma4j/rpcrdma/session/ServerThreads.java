package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.Timeouts;
import io.github.rpcrdma4j.oncrpc.spi.CallService;
import io.github.rpcrdma4j.oncrpc.spi.CallThreads;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.rpcrdma.binding.Bindings;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.metrics.ConnectionStatistics;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.responder.BrokenCalls;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.ConnectRequest;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.lang.System.Logger;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * The threads of a server: one for each listener accepts connections, one closes stalled and idle
 * connections, and the polling threads handle completions. All connections share the limits of the
 * server, at whichever listener they were made. Thread-safe.
 *
 * <p>Tests: {@code SeveralListenersTest}, {@code LastResortTest}.
 */
public final class ServerThreads implements AutoCloseable {
    /** The logger has the name of the public server class, which operators know. */
    private static final Logger LOG = System.getLogger("io.github.rpcrdma4j.rpcrdma.RpcRdmaServer");

    /** The default for the most polling threads. There is at most one per processor. */
    public static final int POLLERS_MAX = 4;

    private static final long DRAIN_CHECK_NANOS = Duration.ofMillis(2).toNanos();

    private static final Duration ACCEPT_TURN = Duration.ofMillis(500);
    private static final long PATROL_MAX_NANOS = Duration.ofSeconds(1).toNanos();
    private static final int PATROLS_PER_TIMEOUT = 4;

    /** How long all peers together have to accept posted work when the server stops. */
    private static final Duration CLOSE_GRACE = Duration.ofSeconds(1);

    /** The log message when an internal error has closed a connection. */
    static final String INTERNAL_ERROR = "a connection was closed by an internal error";

    private final Threads threads;
    private final List<Listener> listeners;

    /** How many connections the listeners have accepted. It chooses their polling threads. */
    private final AtomicInteger accepted = new AtomicInteger();

    private final ResponderDriver.Service service;
    private final RpcRdmaOptions options;
    private final Counters counters = new Counters();
    private final Counters reverseCounters = new Counters();
    private final SegmentPool pool;

    /**
     * The protection domain of all connections, so that slabs of the pool are registered only once.
     */
    private final ProtectionDomain domain;

    private final CallService calls;
    private final ServedConnections connections;
    private final List<Thread> started = new ArrayList<>();
    private final Pollers pollers;
    private final FailureLog failures = new FailureLog(LOG);
    private final CallThreads workers;
    private final CompletableFuture<Throwable> failure = new CompletableFuture<>();

    /** Whether the server accepts no more connections. */
    private volatile boolean draining;

    private volatile boolean closing;

    /**
     * @param source the source of clock and threads
     * @param listeners of one provider, at least one; the server closes them
     * @param pollersMax the most polling threads; there is at most one per processor
     */
    public ServerThreads(
            Threads source,
            RdmaProvider provider,
            List<Listener> listeners,
            CallService calls,
            Bindings bindings,
            RpcRdmaOptions options,
            SegmentPool pool,
            int pollersMax) {
        Standing.preload();
        // The patrol reads the clock in time.
        this.threads = new AttendedThreads(source);
        this.listeners = List.copyOf(listeners);
        this.calls = calls;
        this.workers = threads.callThreads("rpcrdma-call-", failures);
        this.service =
                new ResponderDriver.Service(
                        bindings,
                        workers,
                        new BrokenCalls(),
                        new QuickCalls(),
                        new BegunCalls(),
                        failures);
        this.options = options;
        this.pool = pool;
        int count = Math.min(pollersMax, threads.processors());
        this.pollers =
                new Pollers(
                        threads,
                        count,
                        provider::createCompletionQueue,
                        this::handleAll,
                        failures,
                        failure::complete);
        this.domain = provider.allocateProtectionDomain();
        var shared =
                new SharedObjects(
                        threads,
                        provider,
                        domain,
                        pool,
                        service,
                        calls.flavors(),
                        counters,
                        reverseCounters,
                        options);
        this.connections =
                new ServedConnections(
                        threads,
                        options,
                        counters,
                        pool.budget(),
                        pollers::wakeup,
                        (request, queue, peerQuota) ->
                                new ServedConnection(
                                        shared, request, queue, peerQuota, this::ended),
                        calls,
                        failures);
    }

    /** Returns the key by which the server knows its own connections. */
    public OwnKey ownKey() {
        return connections.ownKey();
    }

    /** Starts the threads. */
    public void start() {
        pollers.start();
        listeners.forEach(each -> start("rpcrdma-accept", () -> acceptAll(each)));
        start("rpcrdma-patrol", this::patrol);
    }

    private void start(String name, Runnable work) {
        var thread = threads.unstarted(name, work);
        thread.start();
        started.add(thread);
    }

    /** Returns the addresses of the listeners, with the actual ports. */
    public List<InetSocketAddress> addresses() {
        return listeners.stream().map(Listener::address).toList();
    }

    /** Returns the counters since the start. */
    public Counters counters() {
        return counters;
    }

    /** Returns the counters of the calls that programs made to clients. */
    public Counters reverseCounters() {
        return reverseCounters;
    }

    /** Returns how many connections are open now. */
    public int openConnections() {
        return connections.count();
    }

    /** Returns what some open connections have carried, at most so many. */
    public List<ConnectionStatistics> connectionStatistics(int max) {
        return connections.some(max).stream().map(ServerThreads::statistics).toList();
    }

    private static ConnectionStatistics statistics(ServedConnection connection) {
        var carried = connection.counters().carried();
        return new ConnectionStatistics(
                connection.peer(),
                connection.callsInProgress(),
                connection.responder().credits(),
                carried.calls(),
                carried.callBytes(),
                carried.replyBytes());
    }

    /** Returns how many clients have connections or calls in progress now. */
    public int clients() {
        return connections.clients();
    }

    /**
     * Returns how many peers the listeners rejected: too many at once, too slow, or with an invalid
     * connection request.
     */
    public long turnedAway() {
        return listeners.stream().mapToLong(Listener::turnedAway).sum();
    }

    /** Returns how many memory windows are open now, over all connections. */
    public int openWindows() {
        return (int) connections.sum(ServedConnection::openWindows);
    }

    /** Returns how many calls hold a credit and have no reply yet, over all connections. */
    public int callsInProgress() {
        return (int) connections.sum(ServedConnection::callsInProgress);
    }

    /** Returns how many calls clients may have in progress now, over all connections. */
    public int grantedCredits() {
        return (int) connections.sum(each -> each.responder().credits());
    }

    /** Returns how many slabs the pool has, leased or kept. */
    public int memorySlabs() {
        return pool.slabs();
    }

    /** Returns how many leases of memory are held now. */
    public int leasedMemory() {
        return pool.leased();
    }

    /**
     * Accepts no more connections, and waits until no call is in progress.
     *
     * @return false if the time has expired
     */
    public boolean awaitNoCalls(Duration patience) throws InterruptedException {
        draining = true;
        listeners.forEach(Listener::close);
        long deadline = threads.nanoTime() + Timeouts.nanos(patience);
        while (callsInProgress() > 0) {
            long left = deadline - threads.nanoTime();
            if (left <= 0) {
                return false;
            }
            threads.park(this, Math.min(left, DRAIN_CHECK_NANOS));
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
        return true;
    }

    /**
     * Returns a stage that completes with the reason when the server fails and does not recover by
     * itself.
     */
    public CompletionStage<Throwable> failure() {
        return failure.minimalCompletionStage();
    }

    private void acceptAll(Listener listener) {
        var lastResort = new LastResort(threads, "cannot accept", failures, failure::complete);
        long shortages = 0;
        while (!draining && !closing) {
            try {
                var request = listener.accept(ACCEPT_TURN);
                if (request.isPresent()) {
                    accept(request.get(), pollers.queue(accepted.getAndIncrement()));
                }
                if (listener.shortages() != shortages) {
                    shortages = listener.shortages();
                    connections.makeRoom();
                }
                lastResort.succeeded();
            } catch (Throwable failed) {
                // An interrupt does not stop this thread. Only a flag does.
                if (!draining && !closing) {
                    lastResort.failed(failed);
                }
            }
        }
    }

    private void accept(ConnectRequest request, CompletionQueue queue) {
        if (!calls.mayBlock()) {
            connections.accept(request, queue);
            return;
        }
        try {
            workers.execute(
                    failures.guarded(
                            "a connection was not accepted",
                            () -> connections.accept(request, queue)));
        } catch (RejectedExecutionException _) {
            request.reject(new byte[0]);
        }
    }

    /** Checks all connections at intervals. */
    private void patrol() {
        long pause = pause();
        var lastResort =
                new LastResort(threads, "cannot check connections", failures, failure::complete);
        while (!closing) {
            try {
                threads.park(this, pause);
                if (closing) {
                    return;
                }
                // Work may be done whose completions woke no thread.
                pollers.wakeup();
                connections.patrol(threads.nanoTime());
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
                        Timeouts.nanos(limits.sendTimeout()), Timeouts.nanos(limits.readTimeout()));
        shortest = Math.min(shortest, Timeouts.nanos(options.idleTimeout()));
        shortest = Math.min(shortest, options.profile().shortestTimeout());
        return Math.min(shortest / PATROLS_PER_TIMEOUT + 1, PATROL_MAX_NANOS);
    }

    private void ended(ServedConnection connection) {
        connections.end(connection, "the connection has ended");
    }

    /**
     * Handles the completions of one turn. Adjacent completions of one connection are handled
     * together.
     */
    private void handleAll(List<Completion> completions, InlineCalls inline) {
        int from = 0;
        while (from < completions.size()) {
            var queuePair = completions.get(from).queuePair();
            int to = from + 1;
            while (to < completions.size() && completions.get(to).queuePair() == queuePair) {
                to++;
            }
            var connection = connections.of(queuePair);
            if (connection != null) {
                handle(connection, completions, from, to, inline);
            }
            from = to;
        }
    }

    private void handle(
            ServedConnection connection,
            List<Completion> completions,
            int from,
            int to,
            InlineCalls inline) {
        try {
            connection.completed(completions, from, to, inline);
        } catch (RuntimeException | Error broken) {
            // An internal error closes its own connection, and no other.
            failures.report(INTERNAL_ERROR, broken);
            ended(connection);
        }
    }

    /**
     * Closes the server. It interrupts calls in progress and waits for them. Closing twice is
     * harmless.
     */
    @Override
    public void close() {
        closing = true;
        started.forEach(LockSupport::unpark);
        listeners.forEach(Listener::close);
        pollers.stop();
        started.forEach(CallThreads::awaitEnd);
        connections.endAll("the server is stopping", CLOSE_GRACE);
        workers.close();
        // The ends of the connections end them.
        service.begun().awaitNone(threads);
        pollers.close();
        domain.close();
        started.clear();
    }
}
