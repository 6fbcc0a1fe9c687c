package io.github.rpcrdma4j.oncrpc;

import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * Finds who is at the other end of a connection. A transport asks once for each connection, on the
 * thread that accepts it, before it accepts another one: later, another process may have the port
 * of the peer.
 */
@FunctionalInterface
public interface PeerIdentifier {
    /** Asks nobody. */
    PeerIdentifier BY_ADDRESS = (peer, _) -> PeerIdentity.ofAddress(peer);

    /**
     * Identifies a peer. Does not wait for it.
     *
     * @param peer the address of the peer
     * @param local the address of this end of a TCP connection that the calling thread has just
     *     accepted; empty if there is no such connection
     */
    PeerIdentity identify(InetSocketAddress peer, Optional<InetSocketAddress> local);
}
