package io.github.rpcrdma4j.iwarp.tcp;

import java.util.concurrent.TimeUnit;

/**
 * Decides when to send an empty RDMA Write to a passive peer that may have missed the first frame.
 * The Linux driver siw processes frames that come right after its reply only when more bytes
 * follow.
 *
 * <p>Times are arguments, in nanoseconds. Guarded by the send lock of its queue pair.
 */
final class FirstFrameTimer {
    private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final int EXPIRIES_MAX = 5;

    private long start;
    private int expiries;

    /** Starts the timer when the first work is posted. */
    void start(long now) {
        start = now;
    }

    /**
     * Returns whether the timer expires now, and if so counts that. Each expiry is twice as long
     * after the start as the one before.
     */
    boolean expires(long now) {
        if (isOver() || now - start < FIRST_NANOS << expiries) {
            return false;
        }
        expiries++;
        return true;
    }

    /** Returns whether it has expired for the last time. */
    boolean isOver() {
        return expiries == EXPIRIES_MAX;
    }
}
