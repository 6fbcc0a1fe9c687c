package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import java.time.Duration;

/**
 * An RPC client in the reverse direction of a connection. Its calls and replies are inline, so they
 * must fit the inline thresholds.
 */
record ReverseClient(RequesterDriver driver, CallProtection protection) implements RpcClient {
    @Override
    public RpcReply call(RpcCall call, Duration timeout) throws RpcException, InterruptedException {
        return driver.call(call, protection, timeout);
    }

    /** Returns true: each direction has its own credits, at first one (RFC 8167, Section 4.1). */
    @Override
    public boolean takesOneCallAtFirst() {
        return true;
    }

    @Override
    public void close() {
        // The peer, which opened the connection, owns it (RFC 8167-2-1).
    }
}
