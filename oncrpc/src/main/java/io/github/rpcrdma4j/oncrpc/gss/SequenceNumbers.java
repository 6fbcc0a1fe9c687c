package io.github.rpcrdma4j.oncrpc.gss;

import java.util.OptionalInt;
import java.util.TreeSet;

/**
 * The sequence numbers of a context as its client gives them out (RFC 2203, Section 5.3.3.1): none
 * so far ahead of the oldest call in progress that this one would fall out of the server's window.
 * Not thread-safe.
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

    /** A number for a call, unless calls in progress have to end before. */
    OptionalInt take() {
        if (isUsedUp() || (!inProgress.isEmpty() && next - inProgress.first() >= window)) {
            return OptionalInt.empty();
        }
        inProgress.add(next);
        return OptionalInt.of((int) next++);
    }

    /** The call of a number has ended, however. */
    void ended(int sequence) {
        inProgress.remove(Integer.toUnsignedLong(sequence));
    }

    /** Whether there are no more numbers: the context is to be replaced. */
    boolean isUsedUp() {
        return next > Integer.toUnsignedLong(SequenceWindow.MAXSEQ);
    }

    /** Calls that have not ended. */
    int inProgress() {
        return inProgress.size();
    }
}
