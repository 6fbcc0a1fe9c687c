package io.github.rpcrdma4j.nfs.server.state;

/**
 * The unit by which clients share what the server can hold: what one host takes of the state, the
 * others cannot have. The driver decides which calls have equal hosts. Several clients may share a
 * host, behind a gateway or in a network of IPv6 for example, so a host does not tell whose
 * something is: that does the place of a {@link Sender}.
 */
public interface Host {
    /**
     * Returns whether the places of the host are hosts of their own, which share what one may have:
     * then none of them may take all of it.
     */
    default boolean isNetwork() {
        return false;
    }
}
