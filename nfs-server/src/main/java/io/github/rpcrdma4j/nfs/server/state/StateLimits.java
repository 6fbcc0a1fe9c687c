package io.github.rpcrdma4j.nfs.server.state;

/**
 * Bounds of the state, for all clients together unless named otherwise.
 *
 * @param clients confirmed clients. At the bound, the client whose lease has expired for the
 *     longest time makes room.
 * @param unconfirmedClients clients without a session so far; the oldest one makes room
 * @param courtesyClients clients that keep their state although their lease has expired
 * @param courtesyNanos how long such a client keeps its state at most
 * @param sessionsOfClient sessions of one client
 * @param connectionsOfSession connections of one session; the oldest one makes room
 * @param slots slots of all sessions
 * @param slotsOfSession slots of one session
 * @param messageBytes the longest call and the longest reply
 * @param cachedBytes the longest reply that a slot keeps
 * @param operations operations of one COMPOUND
 * @param opens opens and lock owners; each has one stateid
 * @param opensOfClient those of one client, with those that it lost and has not freed
 * @param ranges locked byte ranges
 * @param rangesOfClient those of one client
 * @param waitersOfClient remembered requests of one client that wait for a lock
 * @param waitersOfFile those for one file
 * @param turnNanos how long a lock that is free again is kept for the first that waits for it
 */
public record StateLimits(
        int clients,
        int unconfirmedClients,
        int courtesyClients,
        long courtesyNanos,
        int sessionsOfClient,
        int connectionsOfSession,
        int slots,
        int slotsOfSession,
        int messageBytes,
        int cachedBytes,
        int operations,
        int opens,
        int opensOfClient,
        int ranges,
        int rangesOfClient,
        int waitersOfClient,
        int waitersOfFile,
        long turnNanos) {
    private static final long SECOND = 1_000_000_000L;

    /** For a server of some GiB of memory. Kept replies take 200 MB at most. */
    public static final StateLimits DEFAULTS =
            new StateLimits(
                    20_000,
                    2000,
                    5000,
                    24 * 3600 * SECOND,
                    64,
                    64,
                    100_000,
                    128,
                    (1 << 20) + (16 << 10),
                    2048,
                    512,
                    1_000_000,
                    50_000,
                    1_000_000,
                    50_000,
                    256,
                    1024,
                    3 * SECOND);
}
