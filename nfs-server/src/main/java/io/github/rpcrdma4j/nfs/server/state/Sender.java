package io.github.rpcrdma4j.nfs.server.state;

/**
 * The sender of one call.
 *
 * @param isProtected whether RPCSEC_GSS protected the call by integrity or privacy
 * @param connection the connection that the call came over
 * @param host where it came from
 */
public record Sender(Principal principal, boolean isProtected, Connection connection, Host host) {
    /** Returns where the names are valid that the sender gives clients. */
    String place() {
        return principal.isClaimed() ? host.place() : "";
    }
}
