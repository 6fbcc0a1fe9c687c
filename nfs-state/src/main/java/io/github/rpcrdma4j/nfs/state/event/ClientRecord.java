package io.github.rpcrdma4j.nfs.state.event;

import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;

/**
 * What stable storage keeps of a client: it may reclaim its state after a restart of the server
 * (RFC 8881, Section 8.4.2.1). There is at most one record for each name.
 *
 * @param owner the name that the client gave itself
 * @param principal who made the client; another one cannot reclaim
 * @param place where the name is valid; from elsewhere, a client with the same verifier reclaims
 *     until one comes from there
 * @param verifier of the client
 * @param isRevoked whether some state was taken from the client, and it has got none since: it may
 *     not know yet what it lost, so it reclaims nothing. It has other state, so the grace period
 *     waits for it all the same
 */
public record ClientRecord(
        OpaqueName owner, Principal principal, String place, long verifier, boolean isRevoked) {
    /** Makes a record of a client that may reclaim. */
    public ClientRecord(OpaqueName owner, Principal principal, String place, long verifier) {
        this(owner, principal, place, verifier, false);
    }

    /** Returns the record that takes the place of this one when state is taken from the client. */
    public ClientRecord revoked() {
        return new ClientRecord(owner, principal, place, verifier, true);
    }

    /** Returns what tells the client from others. */
    public ClientName name() {
        return new ClientName(owner, place);
    }

    /** Returns what the client sends to be recognized. */
    public ClientOwner sent() {
        return new ClientOwner(verifier, owner);
    }
}
