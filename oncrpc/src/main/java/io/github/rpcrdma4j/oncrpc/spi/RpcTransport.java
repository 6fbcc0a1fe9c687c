package io.github.rpcrdma4j.oncrpc.spi;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import java.time.Duration;

/**
 * A connection on which every call brings its own protection. Thread-safe, and like {@link
 * RpcClient} in everything else.
 */
public interface RpcTransport extends AutoCloseable {
    /**
     * Makes a call and waits for its reply.
     *
     * @param protection of this call alone
     * @param timeout the bound on the whole call, the wait for its turn included
     * @throws RpcException if there are no results, with the reason
     * @throws InterruptedException if the thread is interrupted: the call is cancelled, and may or
     *     may not have been carried out
     * @throws IllegalArgumentException if the call breaks its own limits, or its XID is that of
     *     another; nothing was sent
     */
    RpcReply call(RpcCall call, CallProtection protection, Duration timeout)
            throws RpcException, InterruptedException;

    /** Closes the connection; calls in progress fail. Closing twice is harmless. */
    @Override
    void close();
}
