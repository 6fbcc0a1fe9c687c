package io.github.rpcrdma4j.bench.latency;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * What is on its way in one direction: bytes come out in the order in which they went in, each the
 * delay after it went in, as many at a time as there are. Pure; the caller says what time it is, in
 * nanoseconds of {@link System#nanoTime}.
 */
final class DelayLine {
    /** As a time: there is nothing on its way. */
    static final long NEVER = Long.MAX_VALUE;

    /** So many pieces are held at a time. */
    static final int PIECES_MAX = 512;

    private record Piece(long due, ByteBuffer bytes) {}

    private final ArrayDeque<Piece> pieces = new ArrayDeque<>();

    /** Whether more is taken in. */
    boolean hasRoom() {
        return pieces.size() < PIECES_MAX;
    }

    /** Whether nothing is on its way. */
    boolean isEmpty() {
        return pieces.isEmpty();
    }

    /**
     * Takes bytes in. A delay that has become shorter does not let them overtake others.
     *
     * @param bytes the line's own until they are removed
     */
    void add(ByteBuffer bytes, long now, long delay) {
        long due = now + delay;
        if (!isEmpty() && pieces.getLast().due - due > 0) {
            due = pieces.getLast().due;
        }
        pieces.addLast(new Piece(due, bytes));
    }

    /** How long it is until something comes out, in nanoseconds, or {@link #NEVER}. */
    long left(long now) {
        return isEmpty() ? NEVER : Math.max(0, pieces.getFirst().due - now);
    }

    /** What comes out first; null if nothing is due. It stays first until {@link #remove}. */
    ByteBuffer next(long now) {
        return left(now) == 0 ? pieces.getFirst().bytes : null;
    }

    /** What came out first has left the line. */
    void remove() {
        pieces.removeFirst();
    }
}
