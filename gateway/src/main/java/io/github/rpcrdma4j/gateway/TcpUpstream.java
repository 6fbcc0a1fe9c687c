package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.spi.CallHandler;
import io.github.rpcrdma4j.oncrpc.spi.RpcTransport;
import io.github.rpcrdma4j.oncrpc.tcp.PrivilegedPorts;
import io.github.rpcrdma4j.oncrpc.tcp.TcpClientOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A server that a gateway reaches over TCP. The gateway connects from a port below 1024 if that is
 * wanted, because many servers trust no other, and only for a client that may. If no such port is
 * to be had then, it does not connect. A client that comes again from its port gets the same one,
 * if it is free: some servers recognize repeated calls by it.
 *
 * @param timeout the time limit for connecting
 * @param messageMax the longest results, and the longest call of the server, in bytes
 * @param isPrivileged whether to connect from ports below 1024 for clients that may
 */
public record TcpUpstream(
        InetSocketAddress server, Duration timeout, long messageMax, boolean isPrivileged)
        implements Upstream {
    /**
     * Creates an upstream that uses ports below 1024 if this process may.
     *
     * @param timeout the time limit for connecting
     * @param limits tell the longest message
     */
    public TcpUpstream(InetSocketAddress server, Duration timeout, GatewayLimits limits) {
        this(server, timeout, limits.messageMax(), PrivilegedPorts.areUsable());
    }

    @Override
    public RpcTransport connect(
            InetSocketAddress client,
            boolean mayBePrivileged,
            CallHandler callBacks,
            Runnable whenEnded)
            throws RpcException, InterruptedException {
        var options =
                new TcpClientOptions(
                        timeout,
                        messageMax + GatewayLimits.HEADER_BYTES,
                        isPrivileged && mayBePrivileged
                                ? OptionalInt.of(client.hashCode())
                                : OptionalInt.empty(),
                        Optional.empty());
        return TcpRpcClient.connect(server, callBacks, whenEnded, options);
    }
}
