package io.github.rpcrdma4j.nfs.client.v4;

import java.io.IOException;

/** Thrown if a server of version 4.0 does not know the client, or a stateid, of a call any more. */
final class ClientGone extends IOException {
    private static final long serialVersionUID = 1L;
    private final boolean mayBeDone;
    private final boolean isOfStateId;

    /**
     * @param mayBeDone whether an earlier copy of the call may have been carried out, and must not
     *     be twice
     * @param isOfStateId whether the server does not know the stateid: it may know the client
     */
    ClientGone(boolean mayBeDone, boolean isOfStateId) {
        super("the server has forgotten this client");
        this.mayBeDone = mayBeDone;
        this.isOfStateId = isOfStateId;
    }

    boolean mayBeDone() {
        return mayBeDone;
    }

    boolean isOfStateId() {
        return isOfStateId;
    }
}
