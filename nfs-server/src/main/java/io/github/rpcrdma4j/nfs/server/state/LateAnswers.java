package io.github.rpcrdma4j.nfs.server.state;

/**
 * How long the clients of a host have let others wait for answers to CB_GETATTR. They may do so for
 * a short time: after that their delegations are recalled instead (RFC 8881, Section 18.7.4).
 *
 * <pre>
 *   (none) --late answer--> some --further ones, more than a second in all--> too many
 *      ^---------------------/----------- 30 seconds ----------------------------/
 * </pre>
 */
final class LateAnswers {
    /** An answer within this time is not late. */
    private static final long PROMPT_NANOS = 100_000_000L;

    /** By how much answers may be late in all. */
    private static final long LATE_MAX_NANOS = 1_000_000_000L;

    /** How long that counts. */
    private static final long KEPT_NANOS = 30_000_000_000L;

    private long late;

    /** When the first answer came that counts, or the last one if there were too many. */
    private long since;

    /**
     * Notes an answer, or that none came.
     *
     * @param nanos how long another client has waited for it
     */
    void add(long nanos, long now) {
        long over = nanos - PROMPT_NANOS;
        if (over <= 0) {
            return;
        }
        if (late == 0 || now - since > KEPT_NANOS) {
            late = 0;
            since = now;
        }
        late += over;
        if (late > LATE_MAX_NANOS) {
            since = now;
        }
    }

    boolean areTooMany(long now) {
        return late > LATE_MAX_NANOS && now - since <= KEPT_NANOS;
    }
}
