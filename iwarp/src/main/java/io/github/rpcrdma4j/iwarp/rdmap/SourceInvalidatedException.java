package io.github.rpcrdma4j.iwarp.rdmap;

import java.io.IOException;

/**
 * A region was invalidated while the peer read from it. What of it was sent already cannot be taken
 * back, so the connection ends.
 */
public final class SourceInvalidatedException extends IOException {
    private static final long serialVersionUID = 1L;
    private final int handle;

    /**
     * @param handle that the region had
     */
    public SourceInvalidatedException(int handle) {
        super("a region was invalidated while the peer read from it");
        this.handle = handle;
    }

    public int handle() {
        return handle;
    }
}
