package io.github.rpcrdma4j.nfs.client.copy;

import java.io.IOException;

/**
 * Thrown at the end of a copy or removal during which some files failed, or some attributes were
 * not kept. The {@link CopyListener} has received each failure.
 */
public final class IncompleteTreeException extends IOException {
    private static final long serialVersionUID = 1L;
    private final long failures;

    IncompleteTreeException(long failures) {
        super(failures == 1 ? "one file failed" : failures + " files failed");
        this.failures = failures;
    }

    /** Returns how many failures the listener received. */
    public long failures() {
        return failures;
    }
}
