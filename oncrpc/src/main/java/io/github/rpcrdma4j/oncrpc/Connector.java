package io.github.rpcrdma4j.oncrpc;

import java.time.Duration;
import java.util.Optional;

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
     * Makes a new connection for a call that has to end soon. By default it takes as long as {@link
     * #connect()}.
     *
     * @param atMost how long the call may still take
     * @return a connection that only the {@link ReconnectingRpcClient} closes
     * @throws RpcException if the server cannot be reached
     * @throws InterruptedException if the thread is interrupted while it connects
     */
    default RpcClient connect(Duration atMost) throws RpcException, InterruptedException {
        return connect();
    }

    /**
     * Returns a connector to the same server whose connections carry calls of the server, too.
     *
     * @param program carries out the calls of the server
     * @return empty if the connections cannot carry them, as by default
     */
    default Optional<Connector> serving(RpcProgram program) {
        return Optional.empty();
    }

    /**
     * Reports a lost connection. The client invokes this method once for each connection that was
     * in use, before it makes another one. It must return soon.
     *
     * @param why the reason of the loss; with a {@link RpcException.CallGivenUp} this side was the
     *     cause
     */
    default void lost(RpcException why) {}

    /**
     * Reports the end of what {@link #lost} has begun. The client may also invoke it when a later
     * call connects, after it had given up. It must return soon.
     *
     * @param isConnected whether there is another connection; false if the client gave up
     */
    default void lossEnded(boolean isConnected) {}
}
