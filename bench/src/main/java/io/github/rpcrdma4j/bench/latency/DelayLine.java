package io.github.rpcrdma4j.bench.latency;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * The delayed bytes of one direction. Bytes leave in the order in which they arrived, each after
 * its delay, as many at a time as arrived together. This class uses no clock: the caller passes the
 * time, in nanoseconds of {@link System#nanoTime}.
 */
final class DelayLine {
    /** The time until the next bytes if there are none. */
    static final long NEVER = Long.MAX_VALUE;

    /** The most pieces that the line holds. */
    static final int PIECES_MAX = 512;

    private record Piece(long due, ByteBuffer bytes) {}

    private final ArrayDeque<Piece> pieces = new ArrayDeque<>();

    /** Returns whether the line takes more bytes. */
    boolean hasRoom() {
        return pieces.size() < PIECES_MAX;
    }

    /** Returns whether the line holds no bytes. */
    boolean isEmpty() {
        return pieces.isEmpty();
    }

    /**
     * Adds bytes. They do not overtake earlier bytes, even if their delay is shorter.
     *
     * @param bytes bytes that belong to the line until it removes them
     */
    void add(ByteBuffer bytes, long now, long delay) {
        long due = now + delay;
        if (!isEmpty() && pieces.getLast().due - due > 0) {
            due = pieces.getLast().due;
        }
        pieces.addLast(new Piece(due, bytes));
    }

    /** Returns the nanoseconds until the first bytes are due, or {@link #NEVER}. */
    long left(long now) {
        return isEmpty() ? NEVER : Math.max(0, pieces.getFirst().due - now);
    }

    /** Returns the first bytes, or null if none are due. They stay first until {@link #remove}. */
    ByteBuffer next(long now) {
        return left(now) == 0 ? pieces.getFirst().bytes : null;
    }

    /** Removes the first bytes. */
    void remove() {
        pieces.removeFirst();
    }
}
