package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.v3.Status;

/** A call is not carried out, with the status that the client gets. */
final class Refusal extends Exception {
    private static final long serialVersionUID = 1L;
    private final Status status;

    Refusal(Status status) {
        super(status.words(), null, false, false);
        this.status = status;
    }

    Status status() {
        return status;
    }
}
