package io.github.rpcrdma4j.nfs.client.v4.session;

/**
 * When the server is asked next what became of calls: at once, and then less and less often,
 * because it may work on one for long. Times are nanoseconds of any origin. Used by one thread at a
 * time.
 */
public final class ProbePauses {
    /** Others may wait for the answer. */
    private static final long FIRST_NANOS = 10_000_000L;

    private static final long LONGEST_NANOS = 3_000_000_000L;

    private long due;
    private long pause;

    /** Begins with pauses that are over. */
    public ProbePauses(long now) {
        begin(now);
    }

    /** Asks at once. */
    public void begin(long now) {
        due = now;
        pause = FIRST_NANOS;
    }

    /** Asks again after a pause, because the answer told nothing. */
    public void toldNothing(long now) {
        due = now + pause;
        pause = Math.min(2 * pause, LONGEST_NANOS);
    }

    /** Returns how long it is until the next question; not positive if it is due. */
    public long untilDue(long now) {
        return due - now;
    }
}
