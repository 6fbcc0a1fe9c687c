package io.github.rpcrdma4j.nfs.client.service;

import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;

/**
 * Thrown if nobody can tell whether a server has made a change: it has restarted before this side
 * heard what became of the call, and refuses it now, maybe because it has made the change before;
 * or an error of the transport came in place of its answer (RFC 8267, Section 6.6). The message is
 * one line for a user.
 */
public final class OutcomeUnknownException extends IOException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param what the operation, for a user: {@code "cannot remove /a/b"}
     * @param now why the server refuses it now
     */
    public OutcomeUnknownException(String what, NfsException now) {
        super(
                what
                        + ": it is not known whether the server has done it before its restart: "
                        + now.reason(),
                now);
    }

    /** Returns the exception for a second copy of a call, sent because a connection was lost. */
    public static OutcomeUnknownException ofSecondCopy(String what, NfsException now) {
        return new OutcomeUnknownException(
                now,
                what
                        + ": it is not known whether the server has done it: the connection was"
                        + " lost, and now "
                        + now.reason());
    }

    private OutcomeUnknownException(NfsException now, String message) {
        super(message, now);
    }

    /**
     * Creates the exception for an answer that nobody will hear.
     *
     * @param what the operation, for a user: {@code "cannot remove /a/b"}
     * @param lost what is in its place
     */
    public OutcomeUnknownException(String what, RpcException lost) {
        super(
                what + ": it is not known whether the server has done it: " + lost.getMessage(),
                lost);
    }
}
