package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.oncrpc.ReconnectingRpcClient;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import java.time.Duration;

/** Goal: a pipeline works over a client that reconnects. */
class ReconnectingTcpPipelineTest extends TcpPipelineTest {
    @Override
    protected RpcClient connect() throws Exception {
        super.connect();
        return ReconnectingRpcClient.connect(() -> tcp, Duration.ZERO);
    }
}
