package io.github.rpcrdma4j.verbs;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/** A passive endpoint that hands out connect requests. Thread-safe. */
public interface Listener extends AutoCloseable {
    /** Where it listens, with the real port. */
    InetSocketAddress address();

    /**
     * Waits for the next connect request. Peers that are slow, silent or speak something else do
     * not hold up others and are never handed out.
     *
     * @param timeout how long to wait; zero polls once
     * @return empty when the time is up
     * @throws RdmaException if the listener is closed or broken
     */
    Optional<ConnectRequest> accept(Duration timeout) throws RdmaException, InterruptedException;

    /**
     * How many peers were never handed out so far: there were too many, they were too slow, or what
     * they said made no sense.
     */
    long turnedAway();

    /**
     * How many times so far a peer could not be let in for want of descriptors or memory. It is let
     * in later, if there are some then.
     */
    default long shortages() {
        return 0;
    }

    /** Stops listening. Requests not yet answered are dropped; connections live on. */
    @Override
    void close();
}
