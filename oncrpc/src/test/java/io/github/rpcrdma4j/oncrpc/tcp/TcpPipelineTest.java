package io.github.rpcrdma4j.oncrpc.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.oncrpc.CallPipelineContract;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/** Goal: a pipeline works over TCP. */
class TcpPipelineTest extends CallPipelineContract {
    private TcpRpcServer server;
    TcpRpcClient tcp;

    @Override
    protected RpcClient connect() throws Exception {
        server =
                TcpRpcServer.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        List.of(program),
                        TcpRpcOptions.DEFAULT);
        tcp = TcpRpcClient.connect(server.address(), new Credential.None(), Duration.ofSeconds(20));
        return tcp;
    }

    @Override
    protected void closeServer() {
        server.close();
        assertEquals(0, tcp.leasedMemory());
        assertEquals(0, server.leasedMemory());
    }
}
