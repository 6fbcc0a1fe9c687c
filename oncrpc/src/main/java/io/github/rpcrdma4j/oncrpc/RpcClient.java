package io.github.rpcrdma4j.oncrpc;

import java.time.Duration;

/**
 * A connection on which calls are made. Thread-safe: many threads may each wait for a call of their
 * own. A client that lost its connection stays lost; its owner makes another.
 */
public interface RpcClient extends AutoCloseable {
    /**
     * Makes a call and waits for its reply.
     *
     * <p>When this method returns or throws, whatever the reason, the peer cannot reach the
     * caller's memory any more.
     *
     * @param timeout the bound on the whole call, the wait for its turn included
     * @throws RpcException if there are no results, with the reason
     * @throws InterruptedException if the thread is interrupted: the call is cancelled, and may or
     *     may not have been carried out
     * @throws IllegalArgumentException if the call breaks its own limits, or its XID is that of
     *     another; nothing was sent
     */
    RpcReply call(RpcCall call, Duration timeout) throws RpcException, InterruptedException;

    /**
     * Begins a flight: calls that one thread keeps going without waiting for each. By default each
     * of them waits in a virtual thread of its own.
     *
     * @return to be closed by the caller, also if this client was closed meanwhile
     */
    default Flight flight() {
        return new ThreadedFlight(this);
    }

    /** Closes the connection; calls in progress fail. Closing twice is harmless. */
    @Override
    void close();
}
