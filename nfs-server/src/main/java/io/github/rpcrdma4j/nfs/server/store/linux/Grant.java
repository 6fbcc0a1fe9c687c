package io.github.rpcrdma4j.nfs.server.store.linux;

import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.linux.Statx;

/**
 * A cached answer of the kernel on the rights of a caller to a file, with the file's attributes at
 * that time. Every change of rights sets the change time. Two changes within one clock tick have
 * equal change times, so an answer from right after a change is not reused.
 *
 * @param known the rights that were checked, as in one digit of a mode
 * @param granted the granted ones among them
 * @param settled whether the last change was more than a tick before the check
 */
record Grant(
        int known,
        int granted,
        int mode,
        int uid,
        int gid,
        long changedSeconds,
        int changedNanos,
        boolean settled) {
    /** Longer than a clock tick of any kernel. */
    private static final long TICK_NANOS = 50_000_000;

    private static final long SECOND_NANOS = 1_000_000_000;

    /** No rights. */
    static final Grant NONE = new Grant(0, 0, 0, 0, 0, 0, 0, false);

    /**
     * @param scratch holds the attributes, which were read before the check
     * @param now the system time from before these were read, in milliseconds
     */
    static Grant of(Scratch scratch, int known, int granted, long now) {
        long seconds = Statx.changedSeconds(scratch);
        int nanos = Statx.changedNanos(scratch);
        long nowSeconds = Math.floorDiv(now, 1000);
        long age =
                nowSeconds - seconds > 1
                        ? SECOND_NANOS
                        : (nowSeconds - seconds) * SECOND_NANOS
                                + Math.floorMod(now, 1000) * 1_000_000L
                                - nanos;
        return new Grant(
                known,
                granted,
                Statx.mode(scratch),
                Statx.uid(scratch),
                Statx.gid(scratch),
                seconds,
                nanos,
                age > TICK_NANOS);
    }

    /** Returns whether the answer still holds for these rights. */
    boolean holds(Scratch scratch, int wanted) {
        return settled
                && (known & wanted) == wanted
                && changedSeconds == Statx.changedSeconds(scratch)
                && changedNanos == Statx.changedNanos(scratch)
                && mode == Statx.mode(scratch)
                && uid == Statx.uid(scratch)
                && gid == Statx.gid(scratch);
    }
}
