package io.github.rpcrdma4j.iwarp.tcp;

import java.util.concurrent.TimeUnit;

/**
 * Decides when to kick a passive peer that may have missed the first frame. The Linux driver siw
 * processes frames that come right after its reply only when more bytes follow.
 *
 * <p>Times are arguments, in nanoseconds. Guarded by the send lock of its queue pair.
 */
final class FirstFrameTimer {
    private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final int KICKS_MAX = 5;

    private long start;
    private int kicks;

    /** Starts the timer when the first work is posted. */
    void start(long now) {
        start = now;
    }

    /**
     * Returns whether the next kick is due, and if so counts it. Each kick waits twice as long as
     * the one before.
     */
    boolean kick(long now) {
        if (isOver() || now - start < FIRST_NANOS << kicks) {
            return false;
        }
        kicks++;
        return true;
    }

    /** Returns whether all kicks were made. */
    boolean isOver() {
        return kicks == KICKS_MAX;
    }
}
