package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import java.time.Duration;

/** Goal: a pipeline works over a client that has only blocking calls. */
class BlockingPipelineTest extends TcpPipelineTest {
    @Override
    protected RpcClient connect() throws Exception {
        super.connect();
        return new RpcClient() {
            @Override
            public RpcReply call(RpcCall call, Duration timeout)
                    throws RpcException, InterruptedException {
                return tcp.call(call, timeout);
            }

            @Override
            public void close() {
                tcp.close();
            }
        };
    }
}
