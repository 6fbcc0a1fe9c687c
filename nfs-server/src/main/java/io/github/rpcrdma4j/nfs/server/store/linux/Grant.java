package io.github.rpcrdma4j.nfs.server.store.linux;

import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.linux.Statx;

/**
 * What the kernel said that a caller may do with a file, and the attributes that the file had then.
 * Every change of rights moves the time of the last change. That time ticks: two changes within one
 * tick have the same, so an answer from right after a change is not believed later.
 *
 * @param known the bits that were asked for, as in one digit of a mode
 * @param granted those of them that were granted
 * @param settled whether the last change was some time ago when the kernel was asked
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
    /** More than a tick of any kernel. */
    private static final long TICK_NANOS = 50_000_000;

    private static final long SECOND_NANOS = 1_000_000_000;

    /**
     * @param scratch holds the attributes, from before the kernel was asked
     * @param now by the clock of the system, in milliseconds, from before that
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

    /** Whether it still says about these bits what the kernel would say. */
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
