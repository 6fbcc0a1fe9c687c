package io.github.rpcrdma4j.nfs.server.state;

import java.util.LinkedHashMap;
import java.util.SequencedMap;

/**
 * How long the clients of each host have let others wait for answers to CB_GETATTR. They may do so
 * for a short time: after that their delegations are recalled instead (RFC 8881, Section 18.7.4).
 *
 * <pre>
 *   (none) --late answer--> some --further ones, more than a second in all--> too many
 *    | ^---------------------/----------- 30 seconds ----------------------------/ ^
 *    \---------------- one that is later than a second in all --------------------/
 * </pre>
 *
 * <p>A host that has no clients any more is remembered, too: it could come back at once.
 */
final class LateAnswers {
    /** An answer within this time is not late. */
    private static final long PROMPT_NANOS = 100_000_000L;

    /** By how much answers may be late in all. */
    private static final long LATE_MAX_NANOS = 1_000_000_000L;

    /** How long that counts. */
    private static final long KEPT_NANOS = 30_000_000_000L;

    /** How many hosts are remembered. */
    private static final int HOSTS_MAX = 4096;

    /**
     * The late answers of one host.
     *
     * @param since when the first answer came that counts, or the last one if there were too many
     */
    private record Late(long nanos, long since) {
        boolean isOver(long now) {
            return now - since > KEPT_NANOS;
        }

        boolean areTooMany() {
            return nanos > LATE_MAX_NANOS;
        }
    }

    /** In the order of their times. */
    private final SequencedMap<Host, Late> hosts = new LinkedHashMap<>();

    /**
     * Notes an answer, or that none came.
     *
     * @param nanos how long another client has waited for it
     */
    void add(Host host, long nanos, long now) {
        long over = nanos - PROMPT_NANOS;
        if (over <= 0) {
            return;
        }
        var before = hosts.get(host);
        boolean isFirst = before == null || before.isOver(now);
        long sum = isFirst ? over : before.nanos + over;
        var late = new Late(sum, isFirst ? now : before.since);
        if (isFirst || late.areTooMany()) {
            hosts.remove(host);
            late = new Late(sum, now);
        }
        hosts.put(host, late);
        if (hosts.size() > HOSTS_MAX || hosts.firstEntry().getValue().isOver(now)) {
            hosts.pollFirstEntry();
        }
    }

    boolean areTooMany(Host host, long now) {
        var late = hosts.get(host);
        return late != null && late.areTooMany() && !late.isOver(now);
    }
}
