package io.github.rpcrdma4j.nfs.client.v4.session;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import java.io.IOException;

/** Thrown if a server refuses an operation by which a client introduces itself. */
public final class SessionRefused extends IOException {
    private static final long serialVersionUID = 1L;
    private final Nfs4Status status;

    /** Creates the exception for an operation that a server refused. */
    public SessionRefused(Opcode operation, Nfs4Status status) {
        super("the server refuses " + wanted(operation) + operation + " failed with " + status);
        this.status = status;
    }

    private static String wanted(Opcode operation) {
        return switch (operation) {
            case SETCLIENTID, SETCLIENTID_CONFIRM -> "this client: ";
            default -> "a session: ";
        };
    }

    /** Returns the status of the operation. */
    public Nfs4Status status() {
        return status;
    }
}
