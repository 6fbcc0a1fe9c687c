package io.github.rpcrdma4j.nfs.state.limit;

/**
 * Bounds of byte-range locks, for all clients together unless named otherwise. {@code Shares} says
 * how much of the files, ranges and waiters one host and one client may have, and how much of what
 * is of one file.
 *
 * @param files files with locks: the server has a descriptor open for each
 * @param ranges locked byte ranges
 * @param rangesOfClient those of one client
 * @param rangesOfFile those of one file: the kernel walks along them at each change
 * @param asksOfFile requests for locks of one file that the kernel has not answered
 * @param partsOfEvent parts of a file that one event has the kernel give up; more of them follow in
 *     events of their own, so that others come in between
 * @param waiters remembered requests that wait for a lock
 * @param waitersOfClient those of one client; its oldest one makes room
 * @param waitersOfFile those for one file; likewise
 * @param turnNanos how long a lock that is free again is kept for the first that waits for it
 */
public record LockLimits(
        int files,
        int ranges,
        int rangesOfClient,
        int rangesOfFile,
        int asksOfFile,
        int partsOfEvent,
        int waiters,
        int waitersOfClient,
        int waitersOfFile,
        long turnNanos) {
    private static final int RANGE_BYTES = 300;

    /** With the longest name of a lock owner. */
    private static final int WAITER_BYTES = 1400;

    private static final int RANGES_MAX = 1_000_000;
    private static final int WAITERS_MAX = 65_536;

    /** For a server with 4 GiB of memory. */
    public static final LockLimits DEFAULTS = forMemory(4L << 30);

    /**
     * Returns the bounds for a server with so much memory: ranges take an eighth of it, waiters a
     * 32nd.
     *
     * @param bytes the most memory of the process
     */
    public static LockLimits forMemory(long bytes) {
        return new LockLimits(
                65_536,
                (int) Math.min(RANGES_MAX, bytes / 8 / RANGE_BYTES),
                50_000,
                32_768,
                512,
                64,
                (int) Math.min(WAITERS_MAX, bytes / 32 / WAITER_BYTES),
                256,
                2048,
                3_000_000_000L);
    }

    /** Returns these limits with another number of parts. */
    public LockLimits withPartsOfEvent(int number) {
        return new LockLimits(
                files,
                ranges,
                rangesOfClient,
                rangesOfFile,
                asksOfFile,
                number,
                waiters,
                waitersOfClient,
                waitersOfFile,
                turnNanos);
    }

    /** Returns these limits with another number of files. */
    public LockLimits withFiles(int number) {
        return new LockLimits(
                number,
                ranges,
                rangesOfClient,
                rangesOfFile,
                asksOfFile,
                partsOfEvent,
                waiters,
                waitersOfClient,
                waitersOfFile,
                turnNanos);
    }
}
