package io.github.rpcrdma4j.nfs.client.v4.state;

import java.time.Duration;

/**
 * The lease of a client: when it was renewed, and when that is due again (RFC 8881, Section 8.3).
 * The server counts from the arrival of a call, which this side does not know, so this side counts
 * from before it was sent. That state is gone is only what the server says: these times say when to
 * ask. They are nanoseconds of any origin. Used by one thread at a time.
 */
public final class Lease {
    /** The longest time between two renewals, also of a long lease. */
    private static final long RENEWAL_NANOS_MAX = 30_000_000_000L;

    private static final long FIRST_NANOS = 2_000_000_000L;

    private long nanos = FIRST_NANOS;
    private long renewed;
    private long asked;
    private long introduced;

    /** Begins with a short lease, until the server has told its own. */
    public Lease(long now) {
        introduced(now);
        begin(now);
    }

    /** Takes note that the client has introduced itself: to a server that may just have started. */
    public void introduced(long now) {
        introduced = now;
    }

    /** Begins with a session. */
    public void begin(long sent) {
        renewed = sent;
        asked = sent;
    }

    /** Takes note of how long the lease is. */
    public void last(Duration time) {
        nanos = time.toNanos();
    }

    /** Takes note of a call that renewed it. Replies overtake each other. */
    public void renewed(long sent) {
        if (sent - renewed > 0) {
            renewed = sent;
        }
    }

    /** Takes note of an attempt to renew it: the next one is not due at once. */
    public void asked(long now) {
        asked = now;
    }

    /** Returns the time between two renewals. */
    public long renewalNanos() {
        return Math.min(nanos / 2, RENEWAL_NANOS_MAX);
    }

    /** Returns how long it is until a renewal is due; not positive if it is. */
    public long untilDue(long now) {
        long newest = renewed - asked > 0 ? renewed : asked;
        return newest + renewalNanos() - now;
    }

    /** Returns whether it may have ended, because nothing renewed it for so long. */
    public boolean mayHaveEnded(long now) {
        return now - renewed > nanos;
    }

    /** Returns how long a server that has restarted may wait for its clients. */
    public Grace grace() {
        return Grace.of(nanos, introduced);
    }
}
