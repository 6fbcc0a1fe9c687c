package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.spi.CallHandler;
import io.github.rpcrdma4j.oncrpc.spi.RpcTransport;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * A server that a gateway reaches over TCP.
 *
 * @param timeout the time limit for connecting
 */
public record TcpUpstream(InetSocketAddress server, Duration timeout) implements Upstream {
    @Override
    public RpcTransport connect(CallHandler callBacks, Runnable whenEnded)
            throws RpcException, InterruptedException {
        return TcpRpcClient.connect(server, callBacks, whenEnded, timeout);
    }
}
