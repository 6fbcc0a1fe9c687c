package io.github.rpcrdma4j.nfs.client.file;

import java.io.InterruptedIOException;

/** Tells of an interrupt where only {@link java.io.IOException} may be thrown. */
public final class Interruption {
    private Interruption() {}

    /** Returns the exception. It sets the interrupt status of the thread again. */
    public static InterruptedIOException of(InterruptedException cause) {
        Thread.currentThread().interrupt();
        var failure = new InterruptedIOException("interrupted while waiting for the server");
        failure.initCause(cause);
        return failure;
    }
}
