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
}
