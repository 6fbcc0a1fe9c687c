package io.github.rpcrdma4j.nfs.state.limit;

import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;

/**
 * Bounds of the state, for all clients together unless named otherwise. {@code Shares} says how
 * much of it one host and one client may have.
 *
 * @param clients confirmed clients
 * @param unconfirmedClients clients without a session so far; the oldest one makes room
 * @param courtesyClients clients that keep their state although their lease has expired
 * @param courtesyNanos how long such a client keeps its state at most
 * @param sessionsOfClient sessions of one client
 * @param connectionsOfSession connections of one session; the oldest one makes room
 * @param sessionBytes the memory of all sessions, with the longest replies that they may keep
 * @param slotsOfSession slots of one session
 * @param messageBytes the longest call and the longest reply
 * @param cachedBytes the longest reply that a slot keeps
 * @param operations operations of one COMPOUND
 * @param stateBytes the memory of all opens and lock owners, with those that clients lost and have
 *     not freed
 * @param opensOfClient opens and lock owners of one client, likewise; each has one stateid
 * @param delegations delegations of files; each may take a descriptor
 * @param locks those of byte-range locks
 */
public record StateLimits(
        int clients,
        int unconfirmedClients,
        int courtesyClients,
        long courtesyNanos,
        int sessionsOfClient,
        int connectionsOfSession,
        long sessionBytes,
        int slotsOfSession,
        int messageBytes,
        int cachedBytes,
        int operations,
        long stateBytes,
        int opensOfClient,
        int delegations,
        LockLimits locks) {
    /** The memory of a state without the name of its owner, with its part of a file. */
    public static final int STATE_OWN_BYTES = 1024;

    /** The most memory of an open, a lock owner at an open, or a delegation. */
    public static final int STATE_BYTES_MAX = STATE_OWN_BYTES + OpaqueName.BYTES_MAX;

    private static final long SECOND = 1_000_000_000L;

    /** The memory of a client without sessions, opens and locks, with the longest names. */
    private static final int CLIENT_BYTES = 4096;

    private static final int CLIENTS_MAX = 20_000;
    private static final int UNCONFIRMED_MAX = 2000;
    private static final int DELEGATIONS_MAX = 65_536;

    /** For a server with 4 GiB of memory. */
    public static final StateLimits DEFAULTS = forMemory(4L << 30);

    /**
     * Returns the bounds for a server with so much memory: clients take a sixteenth of it, sessions
     * an eighth, opens a quarter, locks as {@link LockLimits#forMemory} says.
     *
     * @param bytes the most memory of the process
     */
    public static StateLimits forMemory(long bytes) {
        return new StateLimits(
                (int) Math.min(CLIENTS_MAX, bytes / 16 / CLIENT_BYTES),
                (int) Math.min(UNCONFIRMED_MAX, bytes / 64 / CLIENT_BYTES),
                5000,
                24 * 3600 * SECOND,
                64,
                64,
                bytes / 8,
                128,
                (1 << 20) + (16 << 10),
                2048,
                512,
                bytes / 4,
                50_000,
                (int) Math.min(DELEGATIONS_MAX, bytes / 64 / STATE_BYTES_MAX),
                LockLimits.forMemory(bytes));
    }

    /** Returns these limits with others for delegations. */
    public StateLimits withDelegations(int others) {
        return with(others, locks);
    }

    /** Returns these limits with others for byte-range locks. */
    public StateLimits withLocks(LockLimits others) {
        return with(delegations, others);
    }

    private StateLimits with(int otherDelegations, LockLimits otherLocks) {
        return new StateLimits(
                clients,
                unconfirmedClients,
                courtesyClients,
                courtesyNanos,
                sessionsOfClient,
                connectionsOfSession,
                sessionBytes,
                slotsOfSession,
                messageBytes,
                cachedBytes,
                operations,
                stateBytes,
                opensOfClient,
                otherDelegations,
                otherLocks);
    }
}
