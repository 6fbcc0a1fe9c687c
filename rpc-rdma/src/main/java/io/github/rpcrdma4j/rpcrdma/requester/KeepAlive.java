package io.github.rpcrdma4j.rpcrdma.requester;

/**
 * Decides when a silent peer is probed, and when it is lost. A call may take any time, so only an
 * unanswered probe, which needs no time, shows that the peer is lost.
 *
 * <pre>
 *              interval: PROBE             interval: LOST
 *   LISTENING -----------------> PROBING -----------------> (the end)
 *       ^                           |
 *       `---------------------------'
 *         a message arrived
 * </pre>
 *
 * Not thread-safe. Times are arguments, in nanoseconds of any origin.
 */
public final class KeepAlive {
    /** The next action of the owner. */
    public enum Step {
        /** Do nothing yet. */
        WAIT,
        /** Send a probe. */
        PROBE,
        /** Close the connection: the peer does not answer. */
        LOSE
    }

    private final long interval;
    private long since;
    private boolean probing;

    /**
     * @param interval how long the peer may be silent, in nanoseconds; 0 sets no limit
     */
    public KeepAlive(long interval) {
        this.interval = interval;
    }

    /** Restarts the interval: a message arrived, no reply is due, or no probe could be sent. */
    public void restart(long now) {
        since = now;
        probing = false;
    }

    /** Returns the action that is due now. */
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

    /**
     * Returns how many nanoseconds pass until {@link #step} may return another action than to wait.
     */
    public long left(long now) {
        return interval == 0 ? Long.MAX_VALUE : interval - (now - since);
    }
}
