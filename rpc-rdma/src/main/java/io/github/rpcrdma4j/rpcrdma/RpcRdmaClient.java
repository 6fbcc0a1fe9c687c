package io.github.rpcrdma4j.rpcrdma;

import io.github.rpcrdma4j.oncrpc.CallPipeline;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.oncrpc.spi.CallHandler;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.oncrpc.spi.ReplyReceiver;
import io.github.rpcrdma4j.oncrpc.spi.RpcTransport;
import io.github.rpcrdma4j.rpcrdma.metrics.Statistics;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.session.CalledServer;
import io.github.rpcrdma4j.rpcrdma.session.ClientConnection;
import io.github.rpcrdma4j.rpcrdma.session.Threads;
import io.github.rpcrdma4j.verbs.NoResourceException;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;

/**
 * Calls ONC RPC programs over one RDMA connection.
 *
 * <p>The client has no thread of its own, unless the server may call back. One of the threads that
 * wait for replies polls the connection for all of them. A call exposes the caller's native memory
 * to the responder for bulk arguments and results, from its sending to its end. Memory on the heap,
 * or confined to a thread, is copied instead.
 *
 * <p>A call may end before its reply: by its deadline, an interrupt, or the end of its pipeline.
 * The client then withdraws the memory of the call at once. The server is not informed. If it later
 * accesses that memory, to place results or to fetch arguments, the connection is lost. All calls
 * in progress and all later calls then fail with {@link RpcException.CallGivenUp}, whose message
 * gives the reason why that call ended early. A call without chunks can end early without this
 * effect. {@link io.github.rpcrdma4j.oncrpc.ReconnectingRpcClient} connects again after such a
 * loss.
 *
 * <p>A new connection takes one call at a time until the first reply, which grants the credits for
 * more (RFC 8166, Section 3.3.1). If the first call is slow, all others wait for it. A caller with
 * many concurrent calls should {@link #ping} first. The ping costs one round trip, which the other
 * calls would wait for anyway.
 *
 * <p>Tests: {@code RpcRdmaOverIwarpTest}, {@code BuildersTest}.
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
     * @throws RpcException.Unreachable if there is no such server, it refuses the connection, or it
     *     does not speak RDMA
     * @throws InterruptedException if the thread is interrupted while it connects
     * @throws IllegalStateException if no provider is found
     */
    public static RpcRdmaClient connect(String host, int port)
            throws RpcException, InterruptedException {
        return builder().connect(host, port);
    }

    /** Returns a builder with the default settings of a client. */
    public static RpcRdmaClientBuilder builder() {
        return new RpcRdmaClientBuilder();
    }

    /**
     * Connects to a server.
     *
     * @param callBack carries out the calls of the server; empty if it may not call back
     */
    static RpcRdmaClient open(
            RdmaProvider provider,
            CalledServer server,
            Credential credential,
            Collection<? extends UpperLayerBinding> bindings,
            Optional<? extends CallHandler> callBack,
            RpcRdmaOptions options)
            throws RpcException, InterruptedException {
        var protection = CallProtection.of(credential);
        try {
            return new RpcRdmaClient(
                    ClientConnection.open(
                            Threads.OF_MACHINE,
                            provider,
                            server,
                            protection,
                            bindings,
                            callBack.map(CallHandler.class::cast),
                            options),
                    protection);
        } catch (NoResourceException none) {
            throw new RpcException.Unreachable(none.getMessage(), none);
        }
    }

    /** Runs an action once, when the connection has ended, or now if it has. */
    void whenEnded(Runnable action) {
        connection.whenEnded(action);
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
     * <p>No call begins unless the server may call back: only then this client has a thread of its
     * own.
     */
    @Override
    public boolean begin(
            RpcCall call, CallProtection protection, Duration timeout, ReplyReceiver receiver) {
        var begun = connection.begun();
        return begun.isPresent() && begun.get().begin(call, protection, timeout, receiver);
    }

    @Override
    public boolean begins() {
        return connection.begun().isPresent();
    }

    /**
     * {@inheritDoc}
     *
     * <p>The pipeline has no threads of its own. Any thread that waits on this connection sends
     * started calls and handles arriving replies. Calls that are started while outcomes are
     * delivered are sent together, in a few batches.
     */
    @Override
    public CallPipeline pipeline() {
        return connection.pipeline(protection);
    }

    /** Returns true: a new connection has one credit until its first reply. */
    @Override
    public boolean takesOneCallAtFirst() {
        return true;
    }

    /** Calls of the server have no chunks, so they fit the inline thresholds (RFC 8167-7-1). */
    @Override
    public long callBackBytesMax() {
        return connection.callBackBytesMax();
    }

    /** Returns how many credits are free (RFC 8166, Section 3.3.1). */
    @Override
    public int callsLeft() {
        return connection.callsLeft();
    }

    /** Returns the version of RPC-over-RDMA of the connection: 1 or 2. */
    public int version() {
        return connection.version();
    }

    /** Returns the address of the server. */
    public InetSocketAddress remoteAddress() {
        return connection.server();
    }

    /**
     * Returns whether calls can be made. The client detects a loss while a call waits, or at the
     * next call. If the server may call back, the client detects a loss at once.
     */
    public boolean isOpen() {
        return connection.isOpen();
    }

    /** Returns the counts since the connection was made. */
    public Statistics statistics() {
        return connection.counters().snapshot();
    }

    @Override
    public boolean placesResults() {
        return true;
    }

    /** Returns the counts of the calls that the server made to this client. */
    public Statistics reverseStatistics() {
        return connection.reverseCounters().snapshot();
    }

    /**
     * Returns how many memory windows are open to the server now. It is 0 when no call is in
     * progress.
     */
    public int openWindows() {
        return connection.openWindows();
    }

    /**
     * Returns how many leases of memory are held now. An open client holds its posted receives, and
     * one small lease for each short call of its busiest moment. Calls from the server hold leases
     * until their programs return.
     */
    public int leasedMemory() {
        return connection.leasedMemory();
    }

    /**
     * Waits until no call is in progress, and closes the connection. Calls still in progress after
     * {@code patience} fail.
     *
     * @param patience how long to wait
     * @return whether no call was in progress when the connection was closed
     * @throws InterruptedException if the thread is interrupted while it waits; the connection is
     *     closed then, too
     */
    public boolean close(Duration patience) throws InterruptedException {
        try {
            return connection.awaitNoCalls(patience);
        } finally {
            close();
        }
    }

    /**
     * Closes the connection. Calls in progress fail, and programs that run for the server are
     * interrupted.
     */
    @Override
    public void close() {
        connection.close();
    }
}
