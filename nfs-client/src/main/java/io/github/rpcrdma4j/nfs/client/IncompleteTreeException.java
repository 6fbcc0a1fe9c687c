package io.github.rpcrdma4j.nfs.client;

import java.io.IOException;

/**
 * A file or a tree was copied or removed, but for some of the files, or of what was to be kept of
 * them. A {@link CopyListener} has been told of each.
 */
public final class IncompleteTreeException extends IOException {
    private static final long serialVersionUID = 1L;
    private final long failures;

    IncompleteTreeException(long failures) {
        super(failures == 1 ? "one file failed" : failures + " files failed");
        this.failures = failures;
    }

    /** How often the listener was told of a failure. */
    public long failures() {
        return failures;
    }
}
