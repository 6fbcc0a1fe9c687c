package io.github.rpcrdma4j.iwarp.tcp;

import java.util.concurrent.TimeUnit;

/**
 * Decides whether a thread that polls looks for a while before it goes to sleep. A peer that
 * answers at once does so in less time than it takes to fall asleep and be woken; one that takes
 * its time is not worth a busy processor. So a look that finds nothing is followed by waits without
 * one: by one at first, by twice as many and one more each time it happens again. So is one during
 * which others wanted the processor; that is forgotten more slowly, as it also happens now and then
 * by chance.
 *
 * <p>Used by the thread that polls.
 */
final class BusyPollBackoff {
    /**
     * A thread that looks once more and yields has the processor back sooner than that, unless
     * others want it; in nanoseconds.
     */
    static final long CROWDED_NANOS = TimeUnit.MICROSECONDS.toNanos(10);

    /** The most waits in a row without a look. */
    static final int RESTS_MAX = 63;

    /** So many looks that find something make up for one during which it was crowded. */
    static final int FINDS = 64;

    private int rests;
    private int restsNext = 1;
    private int crowdedNext = 1;
    private int finds;

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
        if (++finds == FINDS) {
            finds = 0;
            crowdedNext = Math.max(1, crowdedNext / 2);
        }
    }

    /** A look has found nothing. */
    void missed() {
        rests = restsNext;
        restsNext = more(restsNext);
    }

    /** Others want the processor. */
    void crowded() {
        rests = crowdedNext;
        crowdedNext = more(crowdedNext);
        finds = 0;
    }

    private static int more(int waits) {
        return Math.min(RESTS_MAX, 2 * waits + 1);
    }
}
