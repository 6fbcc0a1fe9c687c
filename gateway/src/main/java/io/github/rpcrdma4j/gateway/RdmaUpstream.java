package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.spi.CallHandler;
import io.github.rpcrdma4j.oncrpc.spi.RpcTransport;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClientBuilder;
import java.net.InetSocketAddress;

/**
 * A server that a gateway reaches over RDMA.
 *
 * @param settings the settings of the connections
 */
public record RdmaUpstream(InetSocketAddress server, Settings settings) implements Upstream {
    /** Gives the settings of one connection. */
    public interface Settings {
        /**
         * Returns a new builder with the settings.
         *
         * @throws RpcException if no connection can be made
         */
        RpcRdmaClientBuilder builder() throws RpcException;
    }

    @Override
    public RpcTransport connect(
            InetSocketAddress client,
            boolean isPrivileged,
            CallHandler callBacks,
            Runnable whenEnded)
            throws RpcException, InterruptedException {
        return settings.builder()
                .bindings(FewChunks.ALL)
                .callBacks(callBacks)
                .whenEnded(whenEnded)
                .connect(server);
    }
}
