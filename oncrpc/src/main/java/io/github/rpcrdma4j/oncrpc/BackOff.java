package io.github.rpcrdma4j.oncrpc;

/**
 * The pauses between tries to connect. The first try after a working connection follows at once;
 * later pauses double, up to a limit. A random share of each pause keeps the clients of a failed
 * server from returning at the same time. Pure.
 */
final class BackOff {
    /** The first pause, in nanoseconds. */
    static final long FIRST_NANOS = 50_000_000L;

    /** The longest pause, in nanoseconds. */
    static final long LONGEST_NANOS = 2_000_000_000L;

    private long pause;

    /**
     * Returns the pause before this try, and lengthens the next one.
     *
     * @param chance a random number from 0 (inclusive) to 1 (exclusive)
     * @return the pause in nanoseconds: between half and all of the current step
     */
    long next(double chance) {
        long now = pause;
        pause = now == 0 ? FIRST_NANOS : Math.min(2 * now, LONGEST_NANOS);
        return now / 2 + (long) (chance * (now / 2.0));
    }

    /** Starts again without a pause, after a connection that worked. */
    void reset() {
        pause = 0;
    }
}
