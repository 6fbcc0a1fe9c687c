package io.github.rpcrdma4j.nfs.client.copy;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The copies that a command has made of its sources so far. If two sources have one name, the
 * second does not replace the copy of the first. Needs memory for each copy. Thread-safe.
 */
public final class MadeCopies {
    private final Set<String> targets = ConcurrentHashMap.newKeySet();

    /** Creates the record of a command that has made no copies yet. */
    public MadeCopies() {}

    /**
     * Refuses to replace a copy that was made of another source.
     *
     * @param from the source, for messages
     * @param to path of the target as {@link #add} received it
     * @throws IOException if that copy was made before; the message is one line
     */
    public void requireNew(String from, String to) throws IOException {
        if (targets.contains(to)) {
            throw new IOException(
                    "cannot copy "
                            + from
                            + ": it would replace "
                            + to
                            + ", which was just copied from another source");
        }
    }

    /** Adds a complete copy that is no directory. */
    public void add(String to) {
        targets.add(to);
    }
}
