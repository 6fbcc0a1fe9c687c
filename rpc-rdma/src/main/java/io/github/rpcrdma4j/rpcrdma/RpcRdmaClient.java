package io.github.rpcrdma4j.rpcrdma;

import io.github.rpcrdma4j.oncrpc.CallPipeline;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.oncrpc.spi.RpcTransport;
import io.github.rpcrdma4j.rpcrdma.metrics.Statistics;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.session.ClientConnection;
import io.github.rpcrdma4j.rpcrdma.session.Threads;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;

/**
 * Calls ONC RPC programs over one RDMA connection.
 *
 * <p>There is no thread behind it unless the server may call back: of the threads that wait for
 * replies one at a time polls the connection for all of them. The caller's own native memory is
 * exposed to the responder for bulk arguments and results, from the sending of a call to its end;
 * memory on the heap, or confined to a thread, costs a copy.
 *
 * <p>A call that ends before its reply, by its deadline or an interrupt or the end of its pipeline,
 * has its memory withdrawn at once. The server does not learn of that. When it reaches for the
 * memory, to place results or to fetch arguments, the connection ends: all calls in progress, and
 * all later ones, fail with {@link RpcException.CallGivenUp}, which says which call it was. Calls
 * without chunks are given up without such consequences. For a connection that is made anew then,
 * there is {@link io.github.rpcrdma4j.oncrpc.ReconnectingRpcClient}.
 *
 * <p>A new connection takes one call at a time until the first reply, which grants the credits for
 * more (RFC 8166, Section 3.3.1): if that call is slow, all others wait for it. A caller that is
 * about to make many calls at once makes a {@link #ping} first, which costs one round trip, and no
 * more than the others would wait anyway.
 */
public final class RpcRdmaClient implements RpcClient, RpcTransport {
    private final ClientConnection connection;
    private final CallProtection protection;

    private RpcRdmaClient(ClientConnection connection, CallProtection protection) {
        this.connection = connection;
        this.protection = protection;
    }

    /**
     * Connects to a server with the defaults of {@link #builder}.
     *
     * @throws RpcException.Unreachable if there is no such server, it refuses, or what answers does
     *     not speak RDMA
     * @throws InterruptedException if the thread is interrupted while it connects
     * @throws IllegalStateException if no provider is found
     */
    public static RpcRdmaClient connect(String host, int port)
            throws RpcException, InterruptedException {
        return builder().connect(host, port);
    }

    /** Begins the settings of a client. */
    public static RpcRdmaClientBuilder builder() {
        return new RpcRdmaClientBuilder();
    }

    /**
     * Connects to a server.
     *
     * @param callBack what the server may call; empty: nothing
     */
    static RpcRdmaClient open(
            RdmaProvider provider,
            InetSocketAddress server,
            Credential credential,
            Collection<? extends UpperLayerBinding> bindings,
            Optional<RpcDispatcher> callBack,
            RpcRdmaOptions options)
            throws RpcException, InterruptedException {
        var protection = CallProtection.of(credential);
        return new RpcRdmaClient(
                ClientConnection.open(
                        Threads.OF_MACHINE,
                        provider,
                        server,
                        protection,
                        bindings,
                        callBack,
                        options),
                protection);
    }

    @Override
    public RpcReply call(RpcCall call, Duration timeout) throws RpcException, InterruptedException {
        return call(call, protection, timeout);
    }

    @Override
    public RpcReply call(RpcCall call, CallProtection protection, Duration timeout)
            throws RpcException, InterruptedException {
        return connection.call(call, protection, timeout);
    }

    /**
     * {@inheritDoc}
     *
     * <p>Its calls have no threads: any thread that waits for something on this connection sends
     * what was started and takes what arrives. What is started while outcomes are delivered leaves
     * together, in a few parts.
     */
    @Override
    public CallPipeline pipeline() {
        return connection.pipeline(protection);
    }

    /** Until the first reply there is one credit. */
    @Override
    public boolean takesOneCallAtFirst() {
        return true;
    }

    /** The version of RPC-over-RDMA that is spoken on the connection: 1 or 2. */
    public int version() {
        return connection.version();
    }

    /** The address of the server. */
    public InetSocketAddress remoteAddress() {
        return connection.server();
    }

    /**
     * Whether calls can be made. A loss is noticed while a call waits, or at the next one; at once
     * if the server may call back.
     */
    public boolean isOpen() {
        return connection.isOpen();
    }

    /** What was counted since the connection was made. */
    public Statistics statistics() {
        return connection.counters().snapshot();
    }

    /** What was counted of the calls that the server made back. */
    public Statistics reverseStatistics() {
        return connection.reverseCounters().snapshot();
    }

    /** Memory windows that are open to the server now: 0 when no call is in progress. */
    public int openWindows() {
        return connection.openWindows();
    }

    /**
     * Leases of memory that are open: while the client is open, the posted receives, and a small
     * one for every short call that was in progress at a time; and what calls of the server use
     * until their programs return.
     */
    public int leasedMemory() {
        return connection.leasedMemory();
    }

    /**
     * Waits until no call is in progress, and closes the connection. Calls that are still in
     * progress when the time is up fail.
     *
     * @param patience how long to wait
     * @return whether no call was in progress in the end
     * @throws InterruptedException if the thread is interrupted while it waits: the connection is
     *     closed
     */
    public boolean close(Duration patience) throws InterruptedException {
        try {
            return connection.awaitNoCalls(patience);
        } finally {
            close();
        }
    }

    /**
     * Closes the connection; calls in progress fail, and programs that run for the server are
     * interrupted.
     */
    @Override
    public void close() {
        connection.close();
    }
}
