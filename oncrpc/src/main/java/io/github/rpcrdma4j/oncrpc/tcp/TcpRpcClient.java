package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.oncrpc.CallPipeline;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.Timeouts;
import io.github.rpcrdma4j.oncrpc.spi.CallMessage;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.oncrpc.spi.RpcTransport;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.time.Duration;

/**
 * Calls ONC RPC programs over one TCP connection, or one of a UNIX domain socket. Bulk results come
 * in the stream: the targets of a call are left alone.
 *
 * <p>A call that is cancelled while its message is on its way out first finishes sending it, for
 * the calls behind it; if that cannot be done within its deadline, the connection is lost.
 */
public final class TcpRpcClient implements RpcClient, RpcTransport {
    private final ClientStream stream;
    private final CallProtection protection;

    private TcpRpcClient(ClientStream stream, CallProtection protection) {
        this.stream = stream;
        this.protection = protection;
    }

    /**
     * Connects to a server.
     *
     * @param server where it listens
     * @param credential who makes the calls
     * @param timeout the bound on connecting
     * @throws RpcException.Unreachable if there is no such server, or it refuses
     * @throws InterruptedException if the thread is interrupted while it connects
     */
    public static TcpRpcClient connect(
            InetSocketAddress server, Credential credential, Duration timeout)
            throws RpcException, InterruptedException {
        var protection = CallProtection.of(credential);
        return new TcpRpcClient(ClientStream.open(server, Timeouts.nanos(timeout)), protection);
    }

    /**
     * Connects to a server of this host, by its socket in the file system. It knows who the process
     * is, whatever the credential says.
     *
     * @param server where it listens
     * @param credential who makes the calls
     * @param timeout the bound on connecting
     * @throws RpcException.Unreachable if there is no such server, or it refuses
     * @throws InterruptedException if the thread is interrupted while it connects
     */
    public static TcpRpcClient connect(
            UnixDomainSocketAddress server, Credential credential, Duration timeout)
            throws RpcException, InterruptedException {
        var protection = CallProtection.of(credential);
        return new TcpRpcClient(ClientStream.open(server, Timeouts.nanos(timeout)), protection);
    }

    @Override
    public RpcReply call(RpcCall call, Duration timeout) throws RpcException, InterruptedException {
        return call(call, protection, timeout);
    }

    @Override
    public RpcReply call(RpcCall call, CallProtection protection, Duration timeout)
            throws RpcException, InterruptedException {
        long deadline = System.nanoTime() + Timeouts.nanos(timeout);
        var pending = new AwaitedReply();
        int xid = stream.register(call.xid(), pending);
        PendingReply.Answer answer = null;
        try {
            send(call, protection, xid, deadline);
            answer = pending.await(deadline - System.nanoTime());
        } finally {
            if (answer == null) {
                stream.abandon(xid, pending);
            }
        }
        return switch (answer) {
            case PendingReply.Answer.Arrived(var received) ->
                    StreamReply.of(received, call, xid, protection);
            case PendingReply.Answer.Lost(var reason) -> throw stream.connectionLost(reason);
            case null -> throw stream.timedOut();
        };
    }

    private void send(RpcCall call, CallProtection protection, int xid, long deadline)
            throws RpcException, InterruptedException {
        try (var message = new XdrWriter(stream.pool())) {
            CallMessage.encode(message, call, xid, protection, stream.pool());
            stream.send(message, deadline);
        }
    }

    /**
     * {@inheritDoc}
     *
     * <p>Its thread writes the calls while it is within {@link CallPipeline#poll}, and so may wait
     * there for a server that does not take them.
     */
    @Override
    public CallPipeline pipeline() {
        return new TcpPipeline(stream, protection);
    }

    /** Leases of memory that are open: 1 while the connection lives, and what replies hold. */
    public int leasedMemory() {
        return stream.pool().leased();
    }

    @Override
    public void close() {
        stream.close();
    }
}
