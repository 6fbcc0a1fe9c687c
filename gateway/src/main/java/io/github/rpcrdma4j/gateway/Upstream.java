package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.spi.CallHandler;
import io.github.rpcrdma4j.oncrpc.spi.RpcTransport;
import java.net.InetSocketAddress;

/** Opens connections to the server behind a gateway. Thread-safe. */
public interface Upstream {
    /**
     * Opens a connection to the server.
     *
     * @param client the address of the client for which the connection is
     * @param isPrivileged whether the connection may come from a port that only privileged
     *     processes can use
     * @param callBacks carries out the calls of the server on this connection
     * @param whenEnded runs once when the connection has ended; it must not wait
     * @throws RpcException if the server cannot be reached in time
     * @throws InterruptedException if the thread is interrupted while it connects
     */
    RpcTransport connect(
            InetSocketAddress client,
            boolean isPrivileged,
            CallHandler callBacks,
            Runnable whenEnded)
            throws RpcException, InterruptedException;
}
