package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import java.io.IOException;

/** Thrown if a server refuses an operation on clients and sessions. */
final class SessionRefused extends IOException {
    private static final long serialVersionUID = 1L;
    private final Nfs4Status status;

    SessionRefused(Opcode operation, Nfs4Status status) {
        super("the server refuses a session: " + operation + " failed with " + status);
        this.status = status;
    }

    Nfs4Status status() {
        return status;
    }
}
