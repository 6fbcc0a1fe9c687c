package io.github.rpcrdma4j.iwarp.tcp;

import java.util.concurrent.TimeUnit;

/**
 * How long a thread that polls keeps looking before it goes to sleep. A peer that answers at once
 * does so in less time than it takes to fall asleep and be woken; one that takes its time is not
 * worth a busy processor. So a look that finds nothing is followed by waits without one: by one at
 * first, by twice as many and one more each time it happens again. Where others want the processor
 * there are as many as there may be.
 *
 * <p>Used by the thread that polls.
 */
final class Vigil {
    /** How long a look lasts, in nanoseconds: about what sleeping and waking up costs. */
    static final long LOOK_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    /**
     * Whoever looks once more and yields has the processor back sooner, in nanoseconds, unless
     * others want it.
     */
    static final long CROWDED_NANOS = TimeUnit.MICROSECONDS.toNanos(10);

    /** The most waits in a row without a look. */
    static final int RESTS_MAX = 63;

    private int rests;
    private int restsNext = 1;

    /** Whether to look before this wait; to be asked once for each. */
    boolean looks() {
        if (rests == 0) {
            return true;
        }
        rests--;
        return false;
    }

    /** A look has found something. */
    void found() {
        restsNext = 1;
    }

    /** A look has found nothing. */
    void missed() {
        rests = restsNext;
        restsNext = Math.min(RESTS_MAX, 2 * restsNext + 1);
    }

    /** Others want the processor. */
    void crowded() {
        rests = RESTS_MAX;
    }
}
