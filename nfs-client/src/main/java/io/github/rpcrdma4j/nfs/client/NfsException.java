package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.v3.Status;
import java.io.IOException;

/** The server did not do what it was asked. The message is one line for a user. */
public final class NfsException extends IOException {
    private static final long serialVersionUID = 1L;
    private final Status status;

    /**
     * A failure with its status.
     *
     * @param what failed, for a user: {@code "cannot remove /a/b"}
     */
    public NfsException(String what, Status status) {
        super(what + ": " + status.words());
        this.status = status;
    }

    /** What the server said. */
    public Status status() {
        return status;
    }
}
