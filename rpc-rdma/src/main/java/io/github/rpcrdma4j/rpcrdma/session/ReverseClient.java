package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.oncrpc.spi.RpcTransport;
import java.time.Duration;

/**
 * An RPC client in the reverse direction of a connection. Its calls and replies are inline, so they
 * must fit the inline thresholds.
 *
 * @param inlineResultsMax the longest results that fit, in bytes
 */
record ReverseClient(RequesterDriver driver, CallProtection protection, long inlineResultsMax)
        implements RpcClient, RpcTransport {
    @Override
    public RpcReply call(RpcCall call, Duration timeout) throws RpcException, InterruptedException {
        return driver.call(call, protection, timeout);
    }

    @Override
    public RpcReply call(RpcCall call, CallProtection own, Duration timeout)
            throws RpcException, InterruptedException {
        return driver.call(call, own, timeout);
    }

    @Override
    public long resultsMax() {
        return inlineResultsMax;
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
