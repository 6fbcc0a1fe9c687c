package io.github.rpcrdma4j.nfs.server.state;

/**
 * Bounds of byte-range locks, for all clients together unless named otherwise. {@link Shares} says
 * how much of the files, ranges and waiters one host and one client may have.
 *
 * @param files files with locks: the server has a descriptor open for each
 * @param ranges locked byte ranges
 * @param rangesOfClient those of one client
 * @param rangesOfFile those of one file, with shares likewise: the kernel walks along them at each
 *     change
 * @param asksOfFile requests for locks of one file that the kernel has not answered
 * @param waiters remembered requests that wait for a lock
 * @param waitersOfClient those of one client; its oldest one makes room
 * @param waitersOfFile those for one file
 * @param turnNanos how long a lock that is free again is kept for the first that waits for it
 */
public record LockLimits(
        int files,
        int ranges,
        int rangesOfClient,
        int rangesOfFile,
        int asksOfFile,
        int waiters,
        int waitersOfClient,
        int waitersOfFile,
        long turnNanos) {
    /** For a server of some GiB of memory. A range takes about 300 bytes. */
    public static final LockLimits DEFAULTS =
            new LockLimits(
                    65_536, 1_000_000, 50_000, 32_768, 64, 65_536, 256, 1024, 3_000_000_000L);

    /** Returns these limits with another number of files. */
    public LockLimits withFiles(int number) {
        return new LockLimits(
                number,
                ranges,
                rangesOfClient,
                rangesOfFile,
                asksOfFile,
                waiters,
                waitersOfClient,
                waitersOfFile,
                turnNanos);
    }
}
