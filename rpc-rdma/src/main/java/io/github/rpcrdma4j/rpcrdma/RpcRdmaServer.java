package io.github.rpcrdma4j.rpcrdma;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.oncrpc.spi.CallService;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.rpcrdma.binding.Bindings;
import io.github.rpcrdma4j.rpcrdma.metrics.ConnectionStatistics;
import io.github.rpcrdma4j.rpcrdma.metrics.Statistics;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.session.ExecutorThreads;
import io.github.rpcrdma4j.rpcrdma.session.ServerThreads;
import io.github.rpcrdma4j.rpcrdma.session.Threads;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;

/**
 * Serves ONC RPC programs over RDMA.
 *
 * <p>A few threads poll all connections. They also run calls that a program declares cheap, and
 * calls declared usually quick while these stay short. Other calls run on virtual threads of their
 * own; those that wait in system calls run on platform threads. A program may call its caller back
 * on the connection of the call: {@link io.github.rpcrdma4j.oncrpc.RpcRequest#reverse}. Closing the
 * server ends its connections and waits for the calls in progress.
 *
 * <p>Tests: {@code RpcRdmaOverIwarpTest}, {@code BuildersTest}.
 */
public final class RpcRdmaServer implements AutoCloseable {
    /** The port of NFS over RDMA (8267-9-1). */
    static final int NFS_PORT = 20049;

    static final long KEPT_BYTES = 256L << 20;

    /** The objects that a server is made of. */
    record Parts(
            RdmaProvider provider,
            List<InetSocketAddress> addresses,
            CallService calls,
            RpcRdmaOptions options,
            SegmentPool pool,
            int pollers,
            Optional<Executor> callExecutor) {}

    private final ServerThreads threads;
    private final CountDownLatch ended = new CountDownLatch(1);

    private RpcRdmaServer(ServerThreads threads) {
        this.threads = threads;
        threads.failure().thenRun(ended::countDown);
    }

    /** Returns a builder with the default settings of a server. */
    public static RpcRdmaServerBuilder builder() {
        return new RpcRdmaServerBuilder();
    }

    /** Starts a server with the bindings of its programs. */
    static RpcRdmaServer start(Parts parts) throws RdmaException {
        return start(parts, parts.calls().bindings());
    }

    /** Starts a server. */
    static RpcRdmaServer start(Parts parts, Collection<? extends UpperLayerBinding> bindings)
            throws RdmaException {
        parts.options().requireRoomForAClient();
        FailureLog.preload();
        var machine =
                parts.callExecutor()
                        .<Threads>map(executor -> new ExecutorThreads(Threads.OF_MACHINE, executor))
                        .orElse(Threads.OF_MACHINE);
        var known = new Bindings(bindings);
        var identifier = parts.calls().identifier();
        var listeners = listeners(parts);
        try {
            var threads =
                    new ServerThreads(
                            machine,
                            parts.provider(),
                            listeners,
                            parts.calls(),
                            known,
                            parts.options(),
                            parts.pool(),
                            parts.pollers());
            threads.start();
            return new RpcRdmaServer(threads);
        } catch (RuntimeException | Error failure) {
            listeners.forEach(Listener::close);
            throw failure;
        }
    }

    /** Listens at all addresses, or at none. */
    private static List<Listener> listeners(Parts parts) throws RdmaException {
        var identifier = parts.calls().identifier();
        var listeners = new ArrayList<Listener>();
        try {
            for (var address : parts.addresses()) {
                listeners.add(
                        parts.provider()
                                .listen(
                                        address,
                                        (peer, local) ->
                                                identifier.identify(peer, Optional.of(local))));
            }
            return listeners;
        } catch (RdmaException | RuntimeException | Error failure) {
            listeners.forEach(Listener::close);
            throw failure;
        }
    }

    /** Returns the address of the first listener, with the actual port. */
    public InetSocketAddress address() {
        return addresses().getFirst();
    }

    /**
     * Returns the addresses of all listeners, with the actual ports, in the order of the builder.
     */
    public List<InetSocketAddress> addresses() {
        return threads.addresses();
    }

    /**
     * Finds out whether this server takes new clients and answers them: makes a connection to it,
     * and the call NULL of a program. No peer can use up the room of this client: the server knows
     * it by a secret of this process, and counts it by itself.
     *
     * @param provider reaches the server
     * @param server an address at which this server listens
     * @throws RpcException if the server does not answer, or not in time
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public void probe(
            RdmaProvider provider,
            InetSocketAddress server,
            int program,
            int version,
            Duration timeout)
            throws RpcException, InterruptedException {
        try (var client =
                RpcRdmaClient.builder()
                        .provider(provider)
                        .credits(1)
                        .keepAlive(Duration.ZERO)
                        .connectTimeout(timeout)
                        .key(threads.ownKey())
                        .connect(server)) {
            client.ping(program, version, timeout);
        }
    }

    /** Returns the counts since the start. */
    public Statistics statistics() {
        return threads.counters().snapshot();
    }

    /** Returns the counts of the calls that programs made to clients. */
    public Statistics reverseStatistics() {
        return threads.reverseCounters().snapshot();
    }

    /** Returns what some open connections have carried, at most so many. */
    public List<ConnectionStatistics> connectionStatistics(int max) {
        return threads.connectionStatistics(max);
    }

    /** Returns how many connections are open now. */
    public int openConnections() {
        return threads.openConnections();
    }

    /**
     * Returns how many clients have connections or calls in progress now; see {@link
     * ClientAddress}.
     */
    public int clients() {
        return threads.clients();
    }

    /**
     * Returns how many peers the listeners rejected: too many at once, too slow, or with an invalid
     * connection request.
     */
    public long turnedAway() {
        return threads.turnedAway();
    }

    /** Returns how many memory windows are open to clients now, over all connections. */
    public int openWindows() {
        return threads.openWindows();
    }

    /**
     * Returns how many calls hold a credit and have no reply yet, over all connections. A call
     * counts until this server knows that its reply was sent, on an idle connection up to a second
     * later.
     */
    public int callsInProgress() {
        return threads.callsInProgress();
    }

    /** Returns how many calls clients may have in progress now, over all connections. */
    public int grantedCredits() {
        return threads.grantedCredits();
    }

    /**
     * Returns how many slabs of memory the server has, leased or kept for reuse. An adapter has
     * each of them registered as a whole.
     */
    public int memorySlabs() {
        return threads.memorySlabs();
    }

    /**
     * Returns how many leases of memory are held now. They are the posted receives, the memory of
     * calls in progress, and on each connection one small lease for each short call of its busiest
     * moment.
     */
    public int leasedMemory() {
        return threads.leasedMemory();
    }

    /**
     * Returns a stage that completes with the reason when the server can no longer accept or serve
     * peers. The server does not recover from that by itself, so the process should end. The stage
     * never completes otherwise. Dependent actions run on a thread of the server, and must not wait
     * for the server.
     */
    public CompletionStage<Throwable> failure() {
        return threads.failure();
    }

    /**
     * Waits until the server is closed or has failed. After a failure, {@link #failure} is
     * complete. The threads of a server do not keep the process from ending, so a {@code main}
     * method waits here.
     *
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public void await() throws InterruptedException {
        ended.await();
    }

    /**
     * Accepts no more connections, waits until no call is in progress, and closes the server. Calls
     * still in progress after {@code patience} are interrupted.
     *
     * <p>Open connections may go on to make calls meanwhile, and the server answers them. With
     * clients that always have a call in progress, this method waits for all of {@code patience}.
     *
     * @param patience how long to wait
     * @return whether no call was in progress when the server was closed
     * @throws InterruptedException if the thread is interrupted while it waits; the server is
     *     closed then, too
     */
    public boolean close(Duration patience) throws InterruptedException {
        try {
            return threads.awaitNoCalls(patience);
        } finally {
            close();
        }
    }

    /**
     * Closes the server. It interrupts calls in progress and waits for them. Closing twice is
     * harmless.
     */
    @Override
    public void close() {
        threads.close();
        ended.countDown();
    }
}
