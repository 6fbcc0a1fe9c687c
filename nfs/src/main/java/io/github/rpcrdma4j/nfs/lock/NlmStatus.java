package io.github.rpcrdma4j.nfs.lock;

/** What became of a request for a lock: {@code nlm_stats} and {@code nlm4_stats}. */
public enum NlmStatus {
    GRANTED(0, 0),
    DENIED(1, 1),
    /** There is no room for the lock. */
    DENIED_NOLOCKS(2, 2),
    /** The caller waits: the server calls it with GRANTED. */
    BLOCKED(3, 3),
    /** The server has restarted: only locks from before are granted. */
    DENIED_GRACE_PERIOD(4, 4),
    DEADLCK(5, 1),
    /** The caller has read-only access. */
    ROFS(6, 2),
    STALE_FH(7, 2),
    /** The range is beyond what the server can lock. */
    FBIG(8, 2),
    FAILED(9, 2);

    private final int number;

    /** The number in versions 1 and 3, which know the first five only. */
    private final int shortNumber;

    NlmStatus(int number, int shortNumber) {
        this.number = number;
        this.shortNumber = shortNumber;
    }

    /**
     * Returns the number on the wire.
     *
     * @param version 1, 3 or 4. The older ones have no number for some statuses, and send the
     *     nearest one.
     */
    public int number(int version) {
        return version == Nlm.WIDE ? number : shortNumber;
    }

    /** Returns the status of a number; FAILED for one that is not known. */
    public static NlmStatus of(int number) {
        for (var status : values()) {
            if (status.number == number) {
                return status;
            }
        }
        return FAILED;
    }
}
