package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import java.time.Duration;

/**
 * Calls a client back on its own connection. A call and its reply are inline, so both are short.
 */
record ReverseClient(RequesterDriver calls, CallProtection protection) implements RpcClient {
    @Override
    public RpcReply call(RpcCall call, Duration timeout) throws RpcException, InterruptedException {
        return calls.call(call, protection, timeout);
    }

    /** Each direction has its own credits (RFC 8167, Section 4.1). */
    @Override
    public boolean takesOneCallAtFirst() {
        return true;
    }

    @Override
    public void close() {
        // The connection is its client's (RFC 8167-2-1).
    }
}
