package io.github.rpcrdma4j.nfs.server.driver;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;

/** Signals that an operation fails with a status. */
public final class OperationFailure extends Exception {
    private static final long serialVersionUID = 1L;
    private final Nfs4Status status;

    /**
     * @param status not OK
     */
    public OperationFailure(Nfs4Status status) {
        super(status.name(), null, false, false);
        this.status = status;
    }

    public Nfs4Status status() {
        return status;
    }
}
