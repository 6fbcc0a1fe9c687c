package io.github.rpcrdma4j.iwarp.tcp;

import java.util.concurrent.TimeUnit;

/**
 * When to kick a passive peer that may have missed the first frame. The Linux driver siw looks at
 * frames that come right after its reply only when more bytes follow.
 *
 * <p>The times are arguments, in nanoseconds. Guarded by the send lock of its queue pair.
 */
final class FirstFrameTimer {
    private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final int KICKS_MAX = 5;

    private long start;
    private int kicks;

    /** The first work was posted. */
    void start(long now) {
        start = now;
    }

    /** Whether the next kick is due; if so, it is counted. Each waits twice as long. */
    boolean kick(long now) {
        if (isOver() || now - start < FIRST_NANOS << kicks) {
            return false;
        }
        kicks++;
        return true;
    }

    /** Whether no more kicks will come. */
    boolean isOver() {
        return kicks == KICKS_MAX;
    }
}
