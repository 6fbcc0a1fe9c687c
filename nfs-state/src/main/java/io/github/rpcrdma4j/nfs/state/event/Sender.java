package io.github.rpcrdma4j.nfs.state.event;

import io.github.rpcrdma4j.oncrpc.share.Host;
import io.github.rpcrdma4j.oncrpc.share.HostPlace;

/**
 * The sender of one call.
 *
 * @param isProtected whether RPCSEC_GSS protected the call by integrity or privacy
 * @param connection the connection that the call came over
 * @param host whose share the call uses
 * @param place a text for where the call came from, equal after restarts: what a client has is used
 *     from its places; empty if they are not told apart
 */
public record Sender(
        Principal principal, boolean isProtected, Connection connection, Host host, String place) {
    /** Returns whose share the call uses. */
    public HostPlace where() {
        return new HostPlace(host, place);
    }

    /** Returns where the names are valid that the sender gives clients. */
    public String placeOfNames() {
        return principal.isClaimed() ? place : "";
    }
}
