package io.github.rpcrdma4j.bench.latency;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * What is on its way in one direction: octets come out in the order in which they went in, each the
 * delay after it went in, as many at a time as there are. Pure; the caller says what time it is, in
 * nanoseconds of {@link System#nanoTime}.
 */
final class DelayLine {
    /** As a time: there is nothing on its way. */
    static final long NEVER = Long.MAX_VALUE;

    /** Beyond that, in octets, nothing more is taken in. */
    static final int ROOM = 4 << 20;

    private record Piece(long due, ByteBuffer octets) {}

    private final ArrayDeque<Piece> pieces = new ArrayDeque<>();
    private long held;

    /** Whether more is taken in. */
    boolean hasRoom() {
        return held < ROOM;
    }

    /**
     * Takes octets in. A delay that has become shorter does not let them overtake others.
     *
     * @param octets the line's own until they come out
     */
    void add(ByteBuffer octets, long now, long delay) {
        long due = now + delay;
        if (!pieces.isEmpty() && pieces.getLast().due - due > 0) {
            due = pieces.getLast().due;
        }
        pieces.addLast(new Piece(due, octets));
        held += octets.remaining();
    }

    /** How long it is until something comes out, in nanoseconds, or {@link #NEVER}. */
    long left(long now) {
        return pieces.isEmpty() ? NEVER : Math.max(0, pieces.getFirst().due - now);
    }

    /** Takes what comes out first, with its first octets; null if nothing is due. */
    ByteBuffer next(long now) {
        return left(now) == 0 ? pieces.getFirst().octets : null;
    }

    /**
     * What came out first has left the line, in part or as a whole.
     *
     * @param count octets of it
     */
    void left(int count) {
        held -= count;
        if (!pieces.getFirst().octets.hasRemaining()) {
            pieces.removeFirst();
        }
    }
}
