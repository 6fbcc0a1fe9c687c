package io.github.rpcrdma4j.iwarp.tcp;

import java.util.concurrent.TimeUnit;

/**
 * Decides whether the polling thread busy-polls before it sleeps. A peer that answers at once does
 * so in less time than falling asleep and waking take. For a slower peer, busy polling wastes the
 * processor. So after busy polling that finds nothing, the thread sleeps at once in some waits: 1
 * at first, then 3, 7 and so on while busy polling keeps failing. It also does so after busy
 * polling during which other threads want the processor (contention). The number of these waits
 * shrinks more slowly, because contention also occurs by chance.
 *
 * <p>Used by the polling thread.
 */
final class BusyPollBackoff {
    /**
     * The longest time between two polls while no other thread wants the processor, in nanoseconds.
     */
    static final long CONTENDED_NANOS = TimeUnit.MICROSECONDS.toNanos(10);

    /** The most consecutive waits without busy polling. */
    static final int SLEEPS_MAX = 63;

    /** How many successes halve the number of waits without busy polling after contention. */
    static final int SUCCESSES = 64;

    private int sleeps;
    private int sleepsAfterFailure = 1;
    private int sleepsAfterContention = 1;
    private int successes;

    /** Returns whether to busy-poll in this wait. The caller asks once for each wait. */
    boolean mayBusyPoll() {
        if (sleeps == 0) {
            return true;
        }
        sleeps--;
        return false;
    }

    /** Records that busy polling found something. */
    void succeeded() {
        sleepsAfterFailure = 1;
        if (++successes == SUCCESSES) {
            successes = 0;
            sleepsAfterContention = Math.max(1, sleepsAfterContention / 2);
        }
    }

    /** Records that busy polling found nothing. */
    void failed() {
        sleeps = sleepsAfterFailure;
        sleepsAfterFailure = more(sleepsAfterFailure);
    }

    /** Records that other threads want the processor. */
    void contended() {
        sleeps = sleepsAfterContention;
        sleepsAfterContention = more(sleepsAfterContention);
        successes = 0;
    }

    private static int more(int waits) {
        return Math.min(SLEEPS_MAX, 2 * waits + 1);
    }
}
