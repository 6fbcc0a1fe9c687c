package io.github.rpcrdma4j.rpcrdma;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.binding.Bindings;
import io.github.rpcrdma4j.rpcrdma.metrics.Statistics;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.session.ServerThreads;
import io.github.rpcrdma4j.rpcrdma.session.Threads;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.concurrent.CompletionStage;

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
    private static final long POOL_BYTES = 256L << 20;

    private final ServerThreads threads;

    private RpcRdmaServer(ServerThreads threads) {
        this.threads = threads;
    }

    /**
     * Starts to serve.
     *
     * @param provider who moves the bytes
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
     * @param provider who moves the bytes
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
    public static RpcRdmaServer listen(
            RdmaProvider provider,
            InetSocketAddress address,
            RpcDispatcher dispatcher,
            Collection<? extends UpperLayerBinding> bindings,
            RpcRdmaOptions options,
            SegmentPool pool)
            throws RdmaException {
        FailureLog.warmUp();
        var threads =
                new ServerThreads(
                        Threads.OF_MACHINE,
                        provider,
                        provider.listen(address, ClientAddress::of),
                        dispatcher,
                        new Bindings(bindings),
                        options,
                        pool);
        threads.start();
        return new RpcRdmaServer(threads);
    }

    /** Where it listens, with the real port. */
    public InetSocketAddress address() {
        return threads.address();
    }

    /** What was counted since the start. */
    public Statistics statistics() {
        return threads.statistics();
    }

    /** What was counted of the calls that programs made back to clients. */
    public Statistics reverseStatistics() {
        return threads.reverseStatistics();
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

    /** Memory regions that are registered now, over all connections. */
    public int registeredRegions() {
        return threads.boundWindows();
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

    /** Stops. Calls in progress are interrupted and waited for. Closing twice is harmless. */
    @Override
    public void close() {
        threads.close();
    }
}
