package io.github.rpcrdma4j.rdmacore;

import java.util.LinkedHashSet;
import java.util.Optional;

/**
 * What waits for an answer of a peer before it is destroyed: at most so many, the latest ones. A
 * peer answers within milliseconds, so what has waited longest is given up first. Thread-safe.
 */
final class Leaving<T> {
    private final int max;

    /** In the order in which they came. Guarded by this. */
    private final LinkedHashSet<T> waiting = new LinkedHashSet<>();

    Leaving(int max) {
        this.max = max;
    }

    /** Adds one. Returns the one that has waited longest, which is given up, if there are more. */
    synchronized Optional<T> add(T added) {
        waiting.add(added);
        return waiting.size() > max ? Optional.of(waiting.removeFirst()) : Optional.empty();
    }

    /** Removes one that waits no longer, if it is there. */
    synchronized void remove(T gone) {
        waiting.remove(gone);
    }
}
