package io.github.rpcrdma4j.oncrpc.gss;

import java.util.OptionalInt;
import java.util.TreeSet;

/**
 * The sequence numbers that a client assigns to the calls of a context (RFC 2203, Section 5.3.3.1).
 * It assigns no number so high that the oldest call in progress would fall out of the server's
 * window. Not thread-safe.
 */
final class SequenceNumbers {
    private final long window;
    private final TreeSet<Long> inProgress = new TreeSet<>();
    private long next;

    /**
     * @param window the server's window; unsigned, and 0 counts as 1
     */
    SequenceNumbers(int window) {
        this(window, 1);
    }

    SequenceNumbers(int window, long first) {
        this.window = Math.max(1, Integer.toUnsignedLong(window));
        this.next = first;
    }

    /**
     * Returns a number for a call, or empty if calls in progress must end before, or no numbers are
     * left.
     */
    OptionalInt take() {
        if (isUsedUp() || (!inProgress.isEmpty() && next - inProgress.first() >= window)) {
            return OptionalInt.empty();
        }
        inProgress.add(next);
        return OptionalInt.of((int) next++);
    }

    /** Records that the call with a number has ended, with or without a reply. */
    void ended(int sequence) {
        inProgress.remove(Integer.toUnsignedLong(sequence));
    }

    /** Returns whether no numbers are left, so that the client must replace the context. */
    boolean isUsedUp() {
        return next > Integer.toUnsignedLong(SequenceWindow.MAXSEQ);
    }

    /** Returns the number of calls that have not ended. */
    int inProgress() {
        return inProgress.size();
    }
}
