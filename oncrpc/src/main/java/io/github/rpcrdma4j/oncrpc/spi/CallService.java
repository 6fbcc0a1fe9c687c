package io.github.rpcrdma4j.oncrpc.spi;

import java.io.IOException;

/** Decides which handler carries out the calls of a connection. Thread-safe. */
@FunctionalInterface
public interface CallService {
    /**
     * Returns a service that gives all connections one handler.
     *
     * @param handler the handler of all calls
     */
    static CallService of(CallHandler handler) {
        return _ -> handler;
    }

    /**
     * Returns the handler of a new connection, before its first call is read. It may block for some
     * seconds.
     *
     * @param peer the connected peer
     * @throws IOException if the connection cannot be served; the transport closes it
     * @throws InterruptedException if the server stops
     */
    CallHandler connected(ServedPeer peer) throws IOException, InterruptedException;
}
