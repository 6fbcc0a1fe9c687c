package io.github.rpcrdma4j.nfs.client;

import java.io.IOException;

/**
 * Files that are passed over because their names, or the texts of links, are not UTF-8: what is
 * text here could only stand for others. They are told at the end, so that none goes missing
 * silently. Thread-safe.
 */
public final class LeftOut {
    /** The first, for a user to see; guarded by this. */
    private String first;

    /** Guarded by this. */
    private long count;

    /** Nothing is passed over yet. */
    public LeftOut() {}

    /**
     * One more is passed over.
     *
     * @param path of the file, in a form that a user may see
     */
    public synchronized void add(String path) {
        if (count++ == 0) {
            first = path;
        }
    }

    /**
     * Fails if anything was passed over.
     *
     * @throws IOException whose message is one line for a user
     */
    public synchronized void requireNone() throws IOException {
        if (count > 0) {
            throw new IOException(
                    "left out, as it is not UTF-8: "
                            + first
                            + (count > 1 ? ", and " + (count - 1) + " more" : ""));
        }
    }
}
