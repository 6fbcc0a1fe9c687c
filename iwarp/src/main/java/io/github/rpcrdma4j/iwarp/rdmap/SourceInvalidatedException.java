package io.github.rpcrdma4j.iwarp.rdmap;

import java.io.IOException;

/**
 * Reports that a region was invalidated while the peer read from it. Bytes that were sent cannot be
 * taken back, so the connection ends.
 */
public final class SourceInvalidatedException extends IOException {
    private static final long serialVersionUID = 1L;
    private final int handle;

    /**
     * Makes the exception.
     *
     * @param handle the handle of the invalidated region
     */
    public SourceInvalidatedException(int handle) {
        super("a region was invalidated while the peer read from it");
        this.handle = handle;
    }

    public int handle() {
        return handle;
    }
}
