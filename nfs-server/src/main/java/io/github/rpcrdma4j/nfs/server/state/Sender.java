package io.github.rpcrdma4j.nfs.server.state;

/**
 * The sender of one call.
 *
 * @param isProtected whether RPCSEC_GSS protected the call by integrity or privacy
 * @param connection the connection that the call came over
 * @param host where it came from
 * @param place a text for the host, or for the part of it that the sender is in, equal after
 *     restarts; empty if these are not told apart
 */
public record Sender(
        Principal principal, boolean isProtected, Connection connection, Host host, String place) {
    /** Makes a sender in a host that has no parts. */
    public Sender(Principal principal, boolean isProtected, Connection connection, Host host) {
        this(principal, isProtected, connection, host, host.place());
    }

    /** Returns where the names are valid that the sender gives clients. */
    String placeOfNames() {
        return principal.isClaimed() ? place : "";
    }
}
