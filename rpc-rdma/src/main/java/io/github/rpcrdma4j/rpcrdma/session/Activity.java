package io.github.rpcrdma4j.rpcrdma.session;

/**
 * The time of the last use of a connection, as of the last check. Times are arguments, in
 * nanoseconds of any origin. Guarded by the lock of the connection, except for {@link #isIdle},
 * {@link #use} and {@link #idleSince}.
 */
final class Activity {
    /** The work requests done plus the messages received, at the last check with news. */
    private long seen;

    private volatile boolean idle = true;
    private volatile long idleSince;

    Activity(long now) {
        idleSince = now;
    }

    /**
     * Checks the connection.
     *
     * @param now the time in nanoseconds
     * @param workDone how many work requests were done so far
     * @param received how many messages have arrived so far
     * @param waits whether something is in progress
     * @return whether work was done or a message arrived since the last check
     */
    boolean check(long now, long workDone, long received, boolean waits) {
        boolean isNews = workDone + received != seen;
        if (waits || isNews) {
            seen = workDone + received;
            idleSince = now;
        }
        idle = !waits;
        return isNews;
    }

    /** Marks the connection as in use, without a check. */
    void use() {
        idle = false;
    }

    /** Returns whether the connection was idle at the last check. */
    boolean isIdle() {
        return idle;
    }

    /**
     * Returns when the connection became idle, or the last check at which it was in use. The time
     * may be later than the true one, by the interval of the checks.
     */
    long idleSince() {
        return idleSince;
    }
}
