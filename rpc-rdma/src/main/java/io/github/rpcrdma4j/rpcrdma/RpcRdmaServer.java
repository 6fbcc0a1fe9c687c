package io.github.rpcrdma4j.rpcrdma;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.binding.Bindings;
import io.github.rpcrdma4j.rpcrdma.metrics.Statistics;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.session.ExecutorThreads;
import io.github.rpcrdma4j.rpcrdma.session.ServerThreads;
import io.github.rpcrdma4j.rpcrdma.session.Threads;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;

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
    /** The port of NFS over RDMA (8267-9-1). */
    static final int NFS_PORT = 20049;

    static final long MEMORY_BYTES = 256L << 20;

    /** What a server is made of. */
    record Parts(
            RdmaProvider provider,
            InetSocketAddress address,
            RpcDispatcher dispatcher,
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

    /** Begins the settings of a server. */
    public static RpcRdmaServerBuilder builder() {
        return new RpcRdmaServerBuilder();
    }

    /** Starts to serve; bindings are those of the programs. */
    static RpcRdmaServer start(Parts parts) throws RdmaException {
        return start(parts, parts.dispatcher().bindings());
    }

    /** Starts to serve. */
    static RpcRdmaServer start(Parts parts, Collection<? extends UpperLayerBinding> bindings)
            throws RdmaException {
        FailureLog.warmUp();
        var machine =
                parts.callExecutor()
                        .<Threads>map(executor -> new ExecutorThreads(Threads.OF_MACHINE, executor))
                        .orElse(Threads.OF_MACHINE);
        var known = new Bindings(bindings);
        var listener = parts.provider().listen(parts.address(), ClientAddress::of);
        try {
            var threads =
                    new ServerThreads(
                            machine,
                            parts.provider(),
                            listener,
                            parts.dispatcher(),
                            known,
                            parts.options(),
                            parts.pool(),
                            parts.pollers());
            threads.start();
            return new RpcRdmaServer(threads);
        } catch (RuntimeException | Error failure) {
            listener.close();
            throw failure;
        }
    }

    /** Where it listens, with the real port. */
    public InetSocketAddress address() {
        return threads.address();
    }

    /** What was counted since the start. */
    public Statistics statistics() {
        return threads.counters().snapshot();
    }

    /** What was counted of the calls that programs made back to clients. */
    public Statistics reverseStatistics() {
        return threads.reverseCounters().snapshot();
    }

    /** Connections that are open now. */
    public int openConnections() {
        return threads.openConnections();
    }

    /** Clients that have connections or calls in progress now; see {@link ClientAddress}. */
    public int clients() {
        return threads.clients();
    }

    /** Peers that were turned away before they had said what they want. */
    public long turnedAway() {
        return threads.turnedAway();
    }

    /** Memory windows that are open to clients now, over all connections. */
    public int openWindows() {
        return threads.openWindows();
    }

    /** Calls that have taken a credit and have no reply yet, over all connections. */
    public int callsInProgress() {
        return threads.callsInProgress();
    }

    /**
     * Leases of memory that are open now: posted receives, what calls in progress use, and for each
     * connection a small one for every short call that it had in progress at a time.
     */
    public int leasedMemory() {
        return threads.leasedMemory();
    }

    /**
     * Completes, with the reason, when the server cannot let peers in any more or serve them, and
     * does not recover by itself: the process is then of no use and had better end. Never completes
     * otherwise. What depends on it runs on a thread of the server, and must not wait for it.
     */
    public CompletionStage<Throwable> failure() {
        return threads.failure();
    }

    /**
     * Waits until the server is closed, or cannot go on: then {@link #failure} is complete. The
     * threads of a server do not keep the process from ending, so a {@code main} method waits here.
     *
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public void await() throws InterruptedException {
        ended.await();
    }

    /**
     * Stops without cutting calls off: takes no more connections, waits until no call is in
     * progress, and closes. Calls that are still in progress when the time is up are interrupted.
     *
     * @param patience how long to wait
     * @return whether no call was in progress in the end
     * @throws InterruptedException if the thread is interrupted while it waits: the server is
     *     closed
     */
    public boolean close(Duration patience) throws InterruptedException {
        try {
            return threads.awaitNoCalls(patience);
        } finally {
            close();
        }
    }

    /** Stops. Calls in progress are interrupted and waited for. Closing twice is harmless. */
    @Override
    public void close() {
        threads.close();
        ended.countDown();
    }
}
