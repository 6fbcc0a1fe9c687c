package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;

/** Makes connections to one server. Thread-safe. */
@FunctionalInterface
public interface Connector {
    /**
     * Connects anew.
     *
     * @throws RpcException if the server cannot be reached
     */
    RpcClient connect() throws RpcException, InterruptedException;

    /**
     * Told, once for each connection that was in use, that it is lost and another is about to be
     * made; must return soon.
     */
    default void lost(RpcException why) {}
}
