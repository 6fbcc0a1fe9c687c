package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.v3.Status;

/** Signals that the server does not execute a call, and carries the status of the reply. */
final class Refusal extends Exception {
    private static final long serialVersionUID = 1L;
    private final Status status;

    Refusal(Status status) {
        super(status.description(), null, false, false);
        this.status = status;
    }

    Status status() {
        return status;
    }
}
