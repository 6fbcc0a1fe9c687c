package io.github.rpcrdma4j.rpcrdma.requester;

/**
 * Whether a peer that says nothing is still there. A call may take as long as it likes, so the
 * silence is ended by a question that takes no time.
 *
 * <pre>
 *              interval: PROBE             interval: LOST
 *   LISTENING -----------------> PROBING -----------------> (the end)
 *       ^                           |
 *       `---------------------------'
 *         the peer was heard
 * </pre>
 *
 * Not thread-safe. Time comes from outside, in nanoseconds of any origin.
 */
public final class KeepAlive {
    /** What is to be done. */
    public enum Step {
        /** Nothing yet. */
        WAIT,
        /** Ask the peer something. */
        PROBE,
        /** The peer is gone. */
        LOSE
    }

    private final long interval;
    private long since;
    private boolean probing;

    /**
     * @param interval how long the peer may be silent, in nanoseconds; 0 for as long as it likes
     */
    public KeepAlive(long interval) {
        this.interval = interval;
    }

    /** The peer was heard, or has nothing to say, or could not be asked. */
    public void restart(long now) {
        since = now;
        probing = false;
    }

    /** The time has come, or not. */
    public Step step(long now) {
        if (left(now) > 0) {
            return Step.WAIT;
        }
        if (probing) {
            return Step.LOSE;
        }
        probing = true;
        since = now;
        return Step.PROBE;
    }

    /** How long it is until {@link #step} may have something to say. */
    public long left(long now) {
        return interval == 0 ? Long.MAX_VALUE : interval - (now - since);
    }
}
