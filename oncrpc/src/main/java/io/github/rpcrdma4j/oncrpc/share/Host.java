package io.github.rpcrdma4j.oncrpc.share;

/**
 * The unit by which clients share what a server can hold: what one host takes, the others cannot
 * have. Hosts are told apart by {@code equals}. Several clients may share a host, behind a gateway
 * or in a network of IPv6 for example, so a host does not tell whose something is.
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
