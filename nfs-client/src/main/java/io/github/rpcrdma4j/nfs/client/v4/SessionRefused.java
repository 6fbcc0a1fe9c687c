package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import java.io.IOException;

/** Thrown if a server refuses an operation by which a client introduces itself. */
final class SessionRefused extends IOException {
    private static final long serialVersionUID = 1L;
    private final Nfs4Status status;

    SessionRefused(Opcode operation, Nfs4Status status) {
        super("the server refuses " + wanted(operation) + operation + " failed with " + status);
        this.status = status;
    }

    private static String wanted(Opcode operation) {
        return switch (operation) {
            case SETCLIENTID, SETCLIENTID_CONFIRM -> "this client: ";
            default -> "a session: ";
        };
    }

    Nfs4Status status() {
        return status;
    }
}
