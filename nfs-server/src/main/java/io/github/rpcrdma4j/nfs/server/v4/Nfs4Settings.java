package io.github.rpcrdma4j.nfs.server.v4;

import java.time.Duration;

/**
 * The settings of NFS version 4.
 *
 * @param identity the names of the server
 * @param records what is kept of clients over restarts
 * @param lease the lease time: how long the state of a silent client is safe
 * @param grace how long clients may reclaim their state after a restart
 */
public record Nfs4Settings(
        ServerIdentity identity, ClientRecords records, Duration lease, Duration grace) {
    /** The shortest lease. */
    public static final Duration LEASE_MIN = Duration.ofSeconds(10);

    /** The usual lease, and the usual grace period. */
    public static final Duration LEASE = Duration.ofSeconds(90);

    /**
     * Checks the times.
     *
     * @throws IllegalArgumentException if one is out of range
     */
    public Nfs4Settings {
        if (lease.compareTo(LEASE_MIN) < 0 || lease.compareTo(Duration.ofHours(1)) > 0) {
            throw new IllegalArgumentException("a lease takes 10 seconds to an hour: " + lease);
        }
        if (!grace.isPositive() || grace.compareTo(Duration.ofHours(1)) > 0) {
            throw new IllegalArgumentException("the grace period takes at most an hour: " + grace);
        }
    }
}
