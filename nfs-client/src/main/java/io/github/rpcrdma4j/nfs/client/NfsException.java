package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.v3.Status;
import java.io.IOException;

/**
 * Thrown if an operation fails for a reason that NFS has a status for: the server refused it, or
 * this side found that it cannot succeed. The message is one line for a user.
 */
public final class NfsException extends IOException {
    private static final long serialVersionUID = 1L;
    private final Status status;

    /**
     * Creates the exception for a status.
     *
     * @param what the failed operation, for a user: {@code "cannot remove /a/b"}
     */
    public NfsException(String what, Status status) {
        super(what + ": " + status.description());
        this.status = status;
    }

    private NfsException(Status status, String message) {
        super(message);
        this.status = status;
    }

    /**
     * Creates the exception for what this side found.
     *
     * @param message all that a user has to know: without the description of the status
     */
    static NfsException found(String message, Status status) {
        return new NfsException(status, message);
    }

    /** Returns the status of the server, or the one that fits what this side found. */
    public Status status() {
        return status;
    }
}
