package io.github.rpcrdma4j.nfs.client.copy;

import java.io.IOException;
import java.util.Optional;

/** The first file that lost one attribute, and the number of such files. Thread-safe. */
final class Unkept {
    private String first;
    private long count;

    synchronized void add(String name) {
        if (count++ == 0) {
            first = name;
        }
    }

    /**
     * Returns the failure to report and resets the count; empty if there was none.
     *
     * @param what the attribute that was not kept: {@code "the owner"}
     */
    synchronized Optional<IOException> take(String what, String why) {
        if (count == 0) {
            return Optional.empty();
        }
        var others = count > 1 ? " and " + (count - 1) + " more" : "";
        count = 0;
        return Optional.of(
                new IOException("cannot keep " + what + " of " + first + others + ": " + why));
    }
}
