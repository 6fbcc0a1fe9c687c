package io.github.rpcrdma4j.oncrpc;

/** Makes connections to one server, for a {@link ReconnectingRpcClient}. Thread-safe. */
@FunctionalInterface
public interface Connector {
    /**
     * Connects anew.
     *
     * @return a connection that no one else closes
     * @throws RpcException if the server cannot be reached
     */
    RpcClient connect() throws RpcException, InterruptedException;

    /**
     * Told, once for each connection that was in use, that it is lost and another is about to be
     * made; must return soon.
     *
     * @param why it was lost; of a {@link RpcException.CallGivenUp} this side was the cause
     */
    default void lost(RpcException why) {}
}
