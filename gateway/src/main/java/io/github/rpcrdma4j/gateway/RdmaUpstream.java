package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.spi.CallHandler;
import io.github.rpcrdma4j.oncrpc.spi.RpcTransport;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClientBuilder;
import java.net.InetSocketAddress;
import java.util.function.Supplier;

/**
 * A server that a gateway reaches over RDMA.
 *
 * @param settings returns a new builder with the settings of the connections
 */
public record RdmaUpstream(InetSocketAddress server, Supplier<RpcRdmaClientBuilder> settings)
        implements Upstream {
    @Override
    public RpcTransport connect(InetSocketAddress client, CallHandler callBacks, Runnable whenEnded)
            throws RpcException, InterruptedException {
        return settings.get()
                .bindings(FewChunks.ALL)
                .callBacks(callBacks)
                .whenEnded(whenEnded)
                .connect(server);
    }
}
