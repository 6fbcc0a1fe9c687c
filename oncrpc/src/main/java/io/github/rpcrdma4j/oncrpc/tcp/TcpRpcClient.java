package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.oncrpc.CallPipeline;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.spi.CallHandler;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.oncrpc.spi.ReplyReceiver;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.oncrpc.spi.RpcTransport;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Calls ONC RPC programs over one TCP connection, or one UNIX domain socket. Bulk results arrive in
 * the stream: this client does not use the targets of a call. It refuses a call whose reply may be
 * longer than {@link #REPLY_BYTES_MAX}, and a longer reply ends the connection.
 *
 * <p>A call that is cancelled while it sends its message first completes the message, so that later
 * calls can follow. If it cannot do so within its deadline, the connection is lost.
 */
public final class TcpRpcClient implements RpcClient, RpcTransport {
    /**
     * The longest reply that a client accepts, in bytes: 64 MiB, with the header of the reply and
     * the data of bulk results.
     */
    public static final long REPLY_BYTES_MAX = 64L << 20;

    private final ClientStream stream;
    private final CallProtection protection;

    private TcpRpcClient(ClientStream stream, CallProtection protection) {
        this.stream = stream;
        this.protection = protection;
    }

    /**
     * Connects to a server.
     *
     * @param server the address at which the server listens
     * @param credential the identity of the caller
     * @param timeout the time limit for connecting
     * @throws RpcException.Unreachable if there is no such server, or it refuses the connection
     * @throws InterruptedException if the thread is interrupted while it connects
     */
    public static TcpRpcClient connect(
            InetSocketAddress server, Credential credential, Duration timeout)
            throws RpcException, InterruptedException {
        return connect(server, credential, TcpClientOptions.within(timeout));
    }

    /**
     * Connects to a server.
     *
     * @param server the address at which the server listens
     * @param credential the identity of the caller
     * @throws RpcException.Unreachable if there is no such server, it refuses the connection, or
     *     this host lacks the address of the options
     * @throws InterruptedException if the thread is interrupted while it connects
     */
    public static TcpRpcClient connect(
            InetSocketAddress server, Credential credential, TcpClientOptions options)
            throws RpcException, InterruptedException {
        return new TcpConnector(server, credential, options).connect();
    }

    /**
     * Connects to a server of this host, through its socket in the file system. That server can
     * learn the user of this process from the operating system, regardless of the credential.
     *
     * @param server the address at which the server listens
     * @param credential the identity of the caller
     * @param timeout the time limit for connecting
     * @throws RpcException.Unreachable if there is no such server, or it refuses the connection
     * @throws InterruptedException if the thread is interrupted while it connects
     */
    public static TcpRpcClient connect(
            UnixDomainSocketAddress server, Credential credential, Duration timeout)
            throws RpcException, InterruptedException {
        var protection = CallProtection.of(credential);
        return new TcpRpcClient(
                ClientStream.open(server, TcpClientOptions.within(timeout)), protection);
    }

    /**
     * Connects to a server that may call programs of this client on the same connection, as servers
     * of NFSv4.1 do. At most 64 such calls may be in progress; a server that exceeds this bound
     * loses its connection.
     *
     * @param server the address at which the server listens
     * @param credential the identity of the caller
     * @param programs the programs of this client; their calls run on threads of their own, and
     *     must not close this client
     * @param timeout the time limit for connecting
     * @throws RpcException.Unreachable if there is no such server, or it refuses the connection
     * @throws InterruptedException if the thread is interrupted while it connects
     * @throws IllegalArgumentException if versions of a program overlap
     */
    public static TcpRpcClient connect(
            InetSocketAddress server,
            Credential credential,
            Collection<? extends RpcProgram> programs,
            Duration timeout)
            throws RpcException, InterruptedException {
        var connector =
                new TcpConnector(
                        server,
                        credential,
                        TcpClientOptions.within(timeout),
                        List.copyOf(programs));
        return connector.connect();
    }

    static TcpRpcClient connect(TcpConnector connector, TcpClientOptions options)
            throws RpcException, InterruptedException {
        Optional<CallBacks.Service> service =
                connector.programs().isEmpty()
                        ? Optional.empty()
                        : Optional.of(
                                new CallBacks.Service(
                                        new RpcDispatcher(connector.programs()),
                                        connector.server(),
                                        () -> {}));
        return new TcpRpcClient(
                ClientStream.open(connector.server(), service, options),
                CallProtection.of(connector.credential()));
    }

    /**
     * Connects to a server that may call this client on the same connection, for a gateway. Calls
     * without a protection of their own have no credential.
     *
     * @param server the address at which the server listens
     * @param handler carries out the calls of the server
     * @param whenEnded runs once when the connection has ended; it must not wait
     * @throws RpcException.Unreachable if there is no such server, or it refuses the connection
     * @throws InterruptedException if the thread is interrupted while it connects
     */
    public static TcpRpcClient connect(
            InetSocketAddress server,
            CallHandler handler,
            Runnable whenEnded,
            TcpClientOptions options)
            throws RpcException, InterruptedException {
        var service = new CallBacks.Service(handler, server, whenEnded);
        return new TcpRpcClient(
                ClientStream.open(server, Optional.of(service), options),
                CallProtection.of(new Credential.None()));
    }

    @Override
    public RpcReply call(RpcCall call, Duration timeout) throws RpcException, InterruptedException {
        return call(call, protection, timeout);
    }

    @Override
    public RpcReply call(RpcCall call, CallProtection protection, Duration timeout)
            throws RpcException, InterruptedException {
        return stream.call(call, protection, timeout);
    }

    @Override
    public boolean begin(
            RpcCall call, CallProtection protection, Duration timeout, ReplyReceiver receiver) {
        return stream.begin(call, protection, timeout, receiver);
    }

    @Override
    public boolean begins() {
        return true;
    }

    /**
     * {@inheritDoc}
     *
     * <p>The polling thread writes the calls within {@link CallPipeline#poll}, so it may wait there
     * for a server that does not read them. It throws IllegalStateException if memory of a call was
     * closed before the call was sent: that call gets no outcome.
     */
    @Override
    public CallPipeline pipeline() {
        return new TcpPipeline(stream, protection);
    }

    /** Returns the port from which the connection comes; 0 if it has none. */
    public int localPort() {
        return stream.localPort();
    }

    /**
     * Returns the number of open memory leases: 1 while the connection is open, and those of calls
     * and replies.
     */
    public int leasedMemory() {
        return stream.pool().leased();
    }

    @Override
    public void close() {
        stream.close();
    }
}
