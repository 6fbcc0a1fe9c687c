package io.github.rpcrdma4j.verbs;

import java.net.InetSocketAddress;
import java.util.Optional;

/** The request of a peer for a connection. The caller accepts or rejects it, once. Thread-safe. */
public interface ConnectRequest {
    /** Returns the address of the peer. */
    InetSocketAddress peer();

    /**
     * Returns who the peer was found to be when its connection was accepted: what the identifier of
     * {@link RdmaProvider#listen(InetSocketAddress, RdmaProvider.PeerIdentifier)} returned. Empty
     * if the provider did not ask it.
     */
    default Optional<Object> identity() {
        return Optional.empty();
    }

    /**
     * Returns a copy of the peer's private data: at most 512 bytes, all of which old peers may use.
     */
    byte[] privateData();

    /**
     * Accepts the request and connects {@code queuePair} to the peer. Receives that were posted
     * before this call are ready for the peer's first Send.
     *
     * @param privateData the private data for the peer; at most {@link QueuePair#PRIVATE_DATA_MAX}
     *     bytes
     * @throws RdmaException if the connection was lost
     * @throws IllegalArgumentException if the private data is too long
     * @throws IllegalStateException if the request was already answered, or if the queue pair was
     *     connected or closed before; then the request still has no answer
     */
    void accept(QueuePair queuePair, byte[] privateData) throws RdmaException;

    /**
     * Rejects the request. The peer's {@code connect} fails with {@link RdmaException.Rejected}.
     *
     * @param privateData the private data for the peer; at most {@link QueuePair#PRIVATE_DATA_MAX}
     *     bytes
     * @throws IllegalArgumentException if the private data is too long
     * @throws IllegalStateException if the request was already answered
     */
    void reject(byte[] privateData);
}
