package io.github.rpcrdma4j.nfs.client.v4.v40;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;

/**
 * What a client of version 4.0 knows of its lease (RFC 7530, Sections 9.5 and 9.6.2). A loss that
 * is known stays as it is until the client has introduced itself again: after an expired lease
 * nothing may be claimed, even if the server restarts then.
 */
public enum LeaseState {
    /** The server has the client, as far as is known. */
    HELD,
    /** The server does not know a stateid: RENEW tells whether it still has the client. */
    DOUBTED,
    /** The server hears the client from elsewhere: SETCLIENTID tells it where the client is now. */
    MOVED,
    /** The server does not know the client: it has restarted, and takes claims for a while. */
    FORGOTTEN,
    /** The lease has expired, or was ended, and with it all that is open or locked. */
    EXPIRED;

    /** Returns the state after an answer with a status other than OK. */
    public LeaseState after(Nfs4Status status) {
        return switch (status) {
            case STALE_STATEID -> this == HELD ? DOUBTED : this;
            case CB_PATH_DOWN -> isLost() ? this : MOVED;
            case STALE_CLIENTID -> isLost() ? this : FORGOTTEN;
            case EXPIRED -> isLost() ? this : EXPIRED;
            default -> this;
        };
    }

    /** Returns the state after a successful RENEW. */
    public LeaseState renewed() {
        return this == DOUBTED ? HELD : this;
    }

    /** Returns whether the client has to introduce itself again. */
    public boolean isIntroduced() {
        return this == HELD || this == DOUBTED;
    }

    private boolean isLost() {
        return this == FORGOTTEN || this == EXPIRED;
    }
}
