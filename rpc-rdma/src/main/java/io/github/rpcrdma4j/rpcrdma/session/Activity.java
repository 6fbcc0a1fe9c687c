package io.github.rpcrdma4j.rpcrdma.session;

/**
 * When a connection was last in use, and when its peer last took or gave something, as far as it
 * was looked at. Times are arguments, in nanoseconds of any origin. Guarded by the lock of the
 * connection, but for {@link #isIdle}, {@link #use} and {@link #idleSince}.
 */
final class Activity {
    /** What had been done and had come at the last look. */
    private long seen;

    /** What had been done then. */
    private long done;

    /** When it last turned out that more had been done. */
    private long movedAt;

    private volatile boolean idle = true;
    private volatile long idleSince;

    Activity(long now) {
        movedAt = now;
        idleSince = now;
    }

    /**
     * Looks at the connection.
     *
     * @param workDone work requests that were done so far
     * @param received messages that have come so far
     * @param waits whether something is in progress
     * @return whether something was done or came since the last look
     */
    boolean look(long now, long workDone, long received, boolean waits) {
        boolean isNews = workDone + received != seen;
        // Calls that come meanwhile move nothing.
        if (idle || workDone != done) {
            done = workDone;
            movedAt = now;
        }
        if (waits || isNews) {
            seen = workDone + received;
            idleSince = now;
        }
        idle = !waits;
        return isNews;
    }

    /** A thread uses it just now, so it is not looked at. */
    void use() {
        idle = false;
    }

    /** Whether it was idle when it was last looked at. */
    boolean isIdle() {
        return idle;
    }

    /** When it became idle, or was last seen not to be; some time too late. */
    long idleSince() {
        return idleSince;
    }

    /** When it last turned out that the peer has taken or given something. */
    long movedAt() {
        return movedAt;
    }
}
