package io.github.rpcrdma4j.nfs.client.service;

import java.io.IOException;

/**
 * Thrown if an operation fails for a reason that NFS has a status for: the server refused it, or
 * this side found that it cannot succeed. The message is one line for a user.
 */
public final class NfsException extends IOException {
    private static final long serialVersionUID = 1L;
    private final Status status;
    private final String reason;

    /**
     * Creates the exception for a status.
     *
     * @param what the failed operation, for a user: {@code "cannot remove /a/b"}
     */
    public NfsException(String what, Status status) {
        this(what, status.description(), status);
    }

    private NfsException(String what, String reason, Status status) {
        super(what + ": " + reason);
        this.status = status;
        this.reason = reason;
    }

    /**
     * Creates the exception for what this side found.
     *
     * @param what the failed operation, for a user
     * @param reason why it failed, in place of the description of the status
     */
    public static NfsException found(String what, String reason, Status status) {
        return new NfsException(what, reason, status);
    }

    /** Returns the reason alone, which is the end of the message. */
    public String reason() {
        return reason;
    }

    /** Returns the status of the server, or the one that fits what this side found. */
    public Status status() {
        return status;
    }

    /** Returns whether a server refuses a change because another user owns the file. */
    public boolean isOfOwner() {
        return status == Status.PERM || status == Status.ACCES || status == Status.INVAL;
    }
}
