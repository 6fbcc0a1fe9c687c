package io.github.rpcrdma4j.rpcrdma.requester;

/**
 * Decides when a silent peer is probed, and when it is lost. A call may take any time, so only an
 * unanswered probe, which needs no time, shows that the peer is lost.
 *
 * <pre>
 *        interval, or idle interval: PROBE        interval: LOST
 *   LISTENING --------------------------> PROBING ---------------> (the end)
 *       ^                                    |
 *       `------------------------------------'
 *                  a message arrived
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
    private final long idleInterval;
    private long since;
    private boolean probing;

    /**
     * @param interval how long the peer may be silent while it owes a reply, in nanoseconds; 0 sets
     *     no limit
     * @param idleInterval how long the peer may be silent while it owes none, likewise; a probe
     *     after that time has the first interval to be answered
     */
    public KeepAlive(long interval, long idleInterval) {
        this.interval = interval;
        this.idleInterval = idleInterval;
    }

    /** Restarts the interval: a message arrived, no reply is due, or no probe could be sent. */
    public void restart(long now) {
        since = now;
        probing = false;
    }

    /** Returns whether a probe was sent, and no message has arrived since. */
    public boolean isProbing() {
        return probing;
    }

    /**
     * Returns the action that is due now.
     *
     * @param isIdle whether the peer owes no reply
     */
    public Step step(long now, boolean isIdle) {
        if (left(now, isIdle) > 0) {
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
     *
     * @param isIdle whether the peer owes no reply
     */
    public long left(long now, boolean isIdle) {
        long most = isIdle && !probing ? idleInterval : interval;
        return most == 0 ? Long.MAX_VALUE : most - (now - since);
    }
}
