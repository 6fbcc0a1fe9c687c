package io.github.rpcrdma4j.verbs;

import java.net.InetSocketAddress;

/** A peer that asks for a connection: accept or reject it, once. Thread-safe. */
public interface ConnectRequest {
    /** Who asks. */
    InetSocketAddress peer();

    /** The peer's private data, at most 512 bytes, as old peers may use them all; a copy. */
    byte[] privateData();

    /**
     * Connects {@code queuePair} to the peer. Receives posted before this call are there for the
     * peer's first Send.
     *
     * @param privateData goes to the peer; at most {@link QueuePair#PRIVATE_DATA_MAX} bytes
     * @throws RdmaException if the connection is gone
     * @throws IllegalArgumentException if the private data is too long
     */
    void accept(QueuePair queuePair, byte[] privateData) throws RdmaException;

    /** Refuses; the peer's {@code connect} fails with {@link RdmaException.Rejected}. */
    void reject(byte[] privateData);
}
