package io.github.rpcrdma4j.oncrpc;

/**
 * How long to wait before the next try to connect: not at all after a connection that was good for
 * something, then longer each time, up to a limit. A part of each pause is left to chance, lest
 * clients that lost their server at the same time come back at the same time. Pure.
 */
final class BackOff {
    /** The first pause, in nanoseconds. */
    static final long FIRST_NANOS = 50_000_000L;

    /** The longest pause, in nanoseconds. */
    static final long LONGEST_NANOS = 2_000_000_000L;

    private long pause;

    /**
     * Takes a step.
     *
     * @param chance from 0 to 1, without 1
     * @return how long to wait before this try, in nanoseconds: between half a pause and a whole
     */
    long next(double chance) {
        long now = pause;
        pause = now == 0 ? FIRST_NANOS : Math.min(2 * now, LONGEST_NANOS);
        return now / 2 + (long) (chance * (now / 2.0));
    }

    /** A connection was good for something. */
    void reset() {
        pause = 0;
    }
}
