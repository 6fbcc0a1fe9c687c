package io.github.rpcrdma4j.iwarp.tcp;

import java.util.concurrent.TimeUnit;

/**
 * Decides whether the polling thread busy-polls for a while (a look) before it sleeps. A peer that
 * answers at once does so in less time than falling asleep and waking take. For a slower peer,
 * looking wastes the processor. So a look that finds nothing is followed by waits without a look: 1
 * at first, then 3, 7 and so on while looks keep failing. A look during which other threads want
 * the processor (a crowded look) is followed by such waits too. Their number shrinks more slowly,
 * because a look also becomes crowded by chance.
 *
 * <p>Used by the polling thread.
 */
final class BusyPollBackoff {
    /**
     * The longest time between two checks of a look while no other thread wants the processor, in
     * nanoseconds.
     */
    static final long CROWDED_NANOS = TimeUnit.MICROSECONDS.toNanos(10);

    /** The most consecutive waits without a look. */
    static final int RESTS_MAX = 63;

    /** How many successful looks halve the number of waits that follow a crowded look. */
    static final int FINDS = 64;

    private int rests;
    private int restsNext = 1;
    private int crowdedNext = 1;
    private int finds;

    /** Returns whether to look before this wait. The caller asks once for each wait. */
    boolean looks() {
        if (rests == 0) {
            return true;
        }
        rests--;
        return false;
    }

    /** Records that a look found something. */
    void found() {
        restsNext = 1;
        if (++finds == FINDS) {
            finds = 0;
            crowdedNext = Math.max(1, crowdedNext / 2);
        }
    }

    /** Records that a look found nothing. */
    void missed() {
        rests = restsNext;
        restsNext = more(restsNext);
    }

    /** Records that other threads want the processor. */
    void crowded() {
        rests = crowdedNext;
        crowdedNext = more(crowdedNext);
        finds = 0;
    }

    private static int more(int waits) {
        return Math.min(RESTS_MAX, 2 * waits + 1);
    }
}
