package io.github.rpcrdma4j.verbs;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/** A passive endpoint that returns connect requests. Thread-safe. */
public interface Listener extends AutoCloseable {
    /** Returns the address at which the endpoint listens, with the actual port. */
    InetSocketAddress address();

    /**
     * Waits for the next connect request. Slow or silent peers, and peers with another protocol, do
     * not delay other peers, and this method never returns their requests.
     *
     * @param timeout the longest wait; zero polls once
     * @return empty if the time is up
     * @throws RdmaException if the listener is closed or broken
     */
    Optional<ConnectRequest> accept(Duration timeout) throws RdmaException, InterruptedException;

    /**
     * Returns the number of peers that the listener turned away so far: there were too many, they
     * were too slow, or they sent invalid data.
     */
    long turnedAway();

    /**
     * Returns how many times so far a lack of descriptors or memory kept the listener from
     * accepting a peer. It accepts such a peer later, when they are available.
     */
    default long shortages() {
        return 0;
    }

    /** Stops listening. Drops requests without an answer. Connections stay open. */
    @Override
    void close();
}
