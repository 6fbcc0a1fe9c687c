package io.github.rpcrdma4j.nfs.server.served;

import io.github.rpcrdma4j.nfs.store.Failure;

/** Signals that the server does not carry out a call or an operation, and the reason. */
public final class Refusal extends Exception {
    private static final long serialVersionUID = 1L;
    private final Failure failure;

    public Refusal(Failure failure) {
        super(failure.name(), null, false, false);
        this.failure = failure;
    }

    /** Returns the reason, for which every version of NFS has a status. */
    public Failure failure() {
        return failure;
    }
}
