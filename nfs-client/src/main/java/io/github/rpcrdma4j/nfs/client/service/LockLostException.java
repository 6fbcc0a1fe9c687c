package io.github.rpcrdma4j.nfs.client.service;

import java.io.IOException;

/**
 * Thrown by each use of an open file whose lock the server has forgotten or taken: another client
 * may have had the lock since, and may have changed the file. The file can be used again when the
 * lost ranges are unlocked, or when it is closed and opened anew. The message is one line for a
 * user.
 */
public final class LockLostException extends IOException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param what the operation that was not done, for a user: {@code "cannot write /a/b"}
     * @param reason how the lock was lost
     */
    public LockLostException(String what, String reason) {
        super(what + ": the lock of the file is lost: " + reason);
    }
}
