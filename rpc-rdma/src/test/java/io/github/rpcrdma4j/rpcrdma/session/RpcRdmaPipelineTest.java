package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.iwarp.tcp.IwarpOptions;
import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.CallPipelineContract;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

/** Goal: pipelines over RDMA meet the contract of all pipelines. */
class RpcRdmaPipelineTest extends CallPipelineContract {
    private RpcRdmaServer server;
    private RpcRdmaClient client;

    @Override
    protected RpcClient connect() throws Exception {
        var provider = new IwarpProvider(IwarpOptions.DEFAULT);
        server =
                Connections.listen(
                        provider,
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        List.of(program),
                        List.of(),
                        RpcRdmaOptions.DEFAULT);
        client =
                Connections.connect(
                        provider,
                        server.address(),
                        new Credential.None(),
                        List.of(),
                        RpcRdmaOptions.DEFAULT);
        return client;
    }

    @Override
    protected void closeServer() {
        server.close();
        assertEquals(0, client.openWindows());
        assertEquals(0, client.leasedMemory());
        assertEquals(0, server.leasedMemory());
    }
}
