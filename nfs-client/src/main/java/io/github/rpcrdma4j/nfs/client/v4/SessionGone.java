package io.github.rpcrdma4j.nfs.client.v4;

import java.io.IOException;

/** Thrown if the server does not know the session of a call any more. */
final class SessionGone extends IOException {
    private static final long serialVersionUID = 1L;
    private final boolean mayBeDone;

    /**
     * @param mayBeDone whether an earlier copy of the call may have been carried out, and must not
     *     be twice
     */
    SessionGone(boolean mayBeDone) {
        super("the server has forgotten the session");
        this.mayBeDone = mayBeDone;
    }

    boolean mayBeDone() {
        return mayBeDone;
    }
}
