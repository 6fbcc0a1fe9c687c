package io.github.rpcrdma4j.oncrpc;

/** Makes connections to one server, for a {@link ReconnectingRpcClient}. Thread-safe. */
@FunctionalInterface
public interface Connector {
    /**
     * Makes a new connection.
     *
     * @return a connection that only the {@link ReconnectingRpcClient} closes
     * @throws RpcException if the server cannot be reached
     * @throws InterruptedException if the thread is interrupted while it connects
     */
    RpcClient connect() throws RpcException, InterruptedException;

    /**
     * Reports a lost connection. The client invokes this method once for each connection that was
     * in use, before it makes another one. It must return soon.
     *
     * @param why the reason of the loss; with a {@link RpcException.CallGivenUp} this side was the
     *     cause
     */
    default void lost(RpcException why) {}
}
