package io.github.rpcrdma4j.nfs.server;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * Options of a server for NFS version 4.
 *
 * @param lease how long a client keeps its opens and locks without a word: 10 seconds to an hour,
 *     in whole seconds
 * @param grace how long clients may reclaim what they had after a restart of the server; nothing
 *     new is opened or locked meanwhile. Positive, an hour at most.
 * @param records the directory that keeps which clients may reclaim, made with rights for its owner
 *     alone; one server uses it at a time. Without one, clients lose their opens and locks when the
 *     server stops.
 * @param instance distinguishes the servers that have one key of file handles, such as a port.
 *     Clients take two servers with equal keys and instances for one. An unchanged instance lets
 *     clients recognize the server after a restart (RFC 8881, Section 2.10.4).
 * @param asyncCopies whether the server goes on with a long copy after its reply to COPY, if the
 *     client lets it (RFC 7862, Section 15.2). A client of Linux that misses the call that the copy
 *     has ended waits for ever.
 * @param delegatedTimes whether clients may keep the times of a file with their delegations (RFC
 *     9754). A client of Linux then keeps a time that a program has set, too, and such a time from
 *     before the delegation is lost: copies with their times get the time of the copy.
 * @param minorVersions the minor versions that are served: at least one of 0, 1 and 2. A client
 *     that calls with another one learns that it is not (RFC 8881, Section 15.1.5.3).
 */
public record Nfs4Options(
        Duration lease,
        Duration grace,
        Optional<Path> records,
        String instance,
        boolean asyncCopies,
        boolean delegatedTimes,
        Set<Integer> minorVersions) {
    /** All minor versions that this server has. */
    public static final Set<Integer> MINOR_VERSIONS = Set.of(0, 1, 2);

    private static final Duration MAX = Duration.ofHours(1);

    /** The shortest lease, in seconds. */
    public static final int LEASE_SECONDS_MIN = 10;

    /** The lease unless told otherwise, in seconds. */
    public static final int LEASE_SECONDS = 90;

    /** No records, and usual times. */
    public static final Nfs4Options DEFAULT =
            new Nfs4Options(
                    Duration.ofSeconds(LEASE_SECONDS),
                    Duration.ofSeconds(LEASE_SECONDS),
                    Optional.empty(),
                    "2049");

    /**
     * Checks the times and the minor versions.
     *
     * @throws IllegalArgumentException if one is out of range; the message is one line
     */
    public Nfs4Options {
        if (lease.toSeconds() < LEASE_SECONDS_MIN
                || lease.compareTo(MAX) > 0
                || lease.toNanosPart() != 0) {
            throw new IllegalArgumentException(
                    "a lease takes 10 to 3600 whole seconds, not " + seconds(lease));
        }
        if (!grace.isPositive() || grace.compareTo(MAX) > 0) {
            throw new IllegalArgumentException(
                    "the grace period takes 1 to 3600 seconds, not " + seconds(grace));
        }
        if (minorVersions.isEmpty() || !MINOR_VERSIONS.containsAll(minorVersions)) {
            throw new IllegalArgumentException(
                    "the minor versions are of 0, 1 and 2, not " + minorVersions);
        }
        minorVersions = Set.copyOf(minorVersions);
    }

    /**
     * Options without asynchronous copies and delegated times, for all minor versions.
     *
     * @throws IllegalArgumentException if a time is out of range; the message is one line
     */
    public Nfs4Options(Duration lease, Duration grace, Optional<Path> records, String instance) {
        this(lease, grace, records, instance, false, false, MINOR_VERSIONS);
    }

    /** Returns these options with or without asynchronous copies. */
    public Nfs4Options withAsyncCopies(boolean other) {
        return new Nfs4Options(
                lease, grace, records, instance, other, delegatedTimes, minorVersions);
    }

    /** Returns these options with or without times that clients keep with their delegations. */
    public Nfs4Options withDelegatedTimes(boolean other) {
        return new Nfs4Options(lease, grace, records, instance, asyncCopies, other, minorVersions);
    }

    /**
     * Returns these options with other minor versions.
     *
     * @throws IllegalArgumentException if there is none, or one that this server does not have
     */
    public Nfs4Options withMinorVersions(Set<Integer> other) {
        return new Nfs4Options(lease, grace, records, instance, asyncCopies, delegatedTimes, other);
    }

    private static String seconds(Duration time) {
        return time.toNanosPart() == 0 ? Long.toString(time.toSeconds()) : time.toString();
    }
}
