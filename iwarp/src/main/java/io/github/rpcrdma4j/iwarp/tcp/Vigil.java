package io.github.rpcrdma4j.iwarp.tcp;

import java.util.concurrent.TimeUnit;

/**
 * How long a thread that polls keeps looking before it goes to sleep. A peer that answers at once
 * does so in less time than it takes to fall asleep and be woken; one that takes its time is not
 * worth a busy processor. So a look that finds nothing is followed by waits without one: by one at
 * first, by twice as many and one more each time it happens again.
 *
 * <p>Used by the thread that polls.
 */
final class Vigil {
    /** How long a look lasts, in nanoseconds: about what sleeping and waking up costs. */
    static final long LOOK_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

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

    /** A look is over. */
    void looked(boolean found) {
        if (found) {
            restsNext = 1;
            return;
        }
        rests = restsNext;
        restsNext = Math.min(RESTS_MAX, 2 * restsNext + 1);
    }
}
