package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.oncrpc.spi.RpcTransport;
import java.time.Duration;

/**
 * The reverse direction of a connection as a transport. The connection gets its requester with the
 * first call, because the requester posts receives.
 */
record ReverseTransport(ServedConnection connection) implements RpcTransport {
    @Override
    public RpcReply call(RpcCall call, CallProtection protection, Duration timeout)
            throws RpcException, InterruptedException {
        return connection.client(new Credential.None()).call(call, protection, timeout);
    }

    @Override
    public long resultsMax() {
        return connection.client(new Credential.None()).resultsMax();
    }

    @Override
    public void close() {
        // The peer, which opened the connection, owns it (RFC 8167-2-1).
    }
}
