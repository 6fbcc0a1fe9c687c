package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;

/** Signals that an operation fails with a status. */
final class OperationFailure extends Exception {
    private static final long serialVersionUID = 1L;
    private final Nfs4Status status;

    /**
     * @param status not OK
     */
    OperationFailure(Nfs4Status status) {
        super(status.name(), null, false, false);
        this.status = status;
    }

    Nfs4Status status() {
        return status;
    }
}
