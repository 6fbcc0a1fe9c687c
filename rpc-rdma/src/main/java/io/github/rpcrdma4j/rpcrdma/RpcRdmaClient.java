package io.github.rpcrdma4j.rpcrdma;

import io.github.rpcrdma4j.oncrpc.CallProtection;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.RpcTransport;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collection;

/**
 * Calls ONC RPC programs over one RDMA connection.
 *
 * <p>There is no thread behind it: of the threads that wait for replies one at a time polls the
 * connection for all of them. The caller's own native memory is exposed to the responder for bulk
 * arguments and results, from the sending of a call to its end; memory on the heap, or confined to
 * a thread, costs a copy.
 */
public final class RpcRdmaClient implements RpcClient, RpcTransport {
    private final ClientConnection connection;
    private final CallEncoder encoder;
    private final CallProtection protection;

    private RpcRdmaClient(
            ClientConnection connection, CallEncoder encoder, CallProtection protection) {
        this.connection = connection;
        this.encoder = encoder;
        this.protection = protection;
    }

    /**
     * Connects to a server.
     *
     * @param provider who moves the octets
     * @param peer where the server listens
     * @param credential who makes the calls
     * @param bindings of the programs to be called; others are carried without direct placement
     * @throws RpcException.Unreachable if there is no such server, it refuses, or what answers does
     *     not speak RDMA
     * @throws InterruptedException if the thread is interrupted while it connects
     */
    public static RpcRdmaClient connect(
            RdmaProvider provider,
            InetSocketAddress peer,
            Credential credential,
            Collection<? extends UpperLayerBinding> bindings,
            RpcRdmaOptions options)
            throws RpcException, InterruptedException {
        var protection = CallProtection.of(credential);
        var connection = ClientConnection.open(provider, peer, options);
        return new RpcRdmaClient(
                connection, new CallEncoder(connection, bindings, options), protection);
    }

    @Override
    public RpcReply call(RpcCall call, Duration timeout) throws RpcException, InterruptedException {
        return call(call, protection, timeout);
    }

    @Override
    public RpcReply call(RpcCall call, CallProtection protection, Duration timeout)
            throws RpcException, InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        int xid = connection.nextXid();
        var pending = encoder.encode(call, protection, xid);
        try {
            connection.start(pending);
            connection.await(pending, deadline);
        } catch (InterruptedException | RuntimeException | Error failure) {
            pending.release();
            throw failure;
        }
        return switch (pending.answer()) {
            case PendingCall.Answer.Failure(var reason) -> {
                pending.release();
                throw reason;
            }
            case PendingCall.Answer.Reply reply ->
                    ReceivedReply.of(call, protection, xid, reply, pending);
        };
    }

    /** What was counted since the connection was made. */
    public Statistics statistics() {
        return connection.statistics();
    }

    /** Memory regions that are registered now: 0 when no call is in progress. */
    public int registeredRegions() {
        return connection.registeredRegions();
    }

    /** Leases of memory that are open: the posted receives, while the connection lives. */
    public int leasedMemory() {
        return connection.leasedMemory();
    }

    @Override
    public void close() {
        connection.close();
    }
}
