package io.github.rpcrdma4j.nfs.client.v4.v40;

import java.io.IOException;

/** Thrown if a server of version 4.0 does not know the client, or a stateid, of a call any more. */
public final class ClientGone extends IOException {
    private static final long serialVersionUID = 1L;
    private final boolean mayBeDone;
    private final boolean isOfStateId;

    /**
     * Creates the exception.
     *
     * @param mayBeDone whether an earlier copy of the call may have been carried out, and must not
     *     be twice
     * @param isOfStateId whether the server does not know the stateid: it may know the client
     */
    public ClientGone(boolean mayBeDone, boolean isOfStateId) {
        super("the server has forgotten this client");
        this.mayBeDone = mayBeDone;
        this.isOfStateId = isOfStateId;
    }

    /** Returns whether nobody knows if an earlier copy of the call was carried out. */
    public boolean mayBeDone() {
        return mayBeDone;
    }

    /** Returns whether the server does not know the stateid. */
    public boolean isOfStateId() {
        return isOfStateId;
    }
}
