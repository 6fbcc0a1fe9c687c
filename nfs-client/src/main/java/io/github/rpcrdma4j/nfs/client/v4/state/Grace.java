package io.github.rpcrdma4j.nfs.client.v4.state;

/**
 * How long a call waits for a server that has restarted, and waits for its clients (RFC 8881,
 * Section 8.4.2.1). Its grace period is to be a lease; some have a longer one. A client that has
 * introduced itself has done so behind the restart.
 *
 * @param nanos the longest time of a call
 * @param end by when the grace period is over, by the clock of the threads
 */
public record Grace(long nanos, long end) {
    /** Of a call. */
    private static final int LEASES = 2;

    /** Of a grace period. */
    private static final int LEASES_MAX = 4;

    /**
     * Returns that of a server.
     *
     * @param lease in nanoseconds
     * @param introduced when the client was, by the clock of the threads
     */
    public static Grace of(long lease, long introduced) {
        return new Grace(LEASES * lease, introduced + LEASES_MAX * lease);
    }

    /**
     * Returns whether a call may still wait.
     *
     * @param since when it first heard of the grace period
     */
    public boolean mayLast(long since, long now) {
        return now - since <= nanos && now - end <= 0;
    }
}
