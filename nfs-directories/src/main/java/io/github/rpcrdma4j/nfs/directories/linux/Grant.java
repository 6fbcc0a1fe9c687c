package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.linux.Statx;

/**
 * A cached answer of the kernel on the rights of a caller to a file, with the file's attributes at
 * that time. A change of rights sets the change time. Two changes within what the file system calls
 * one time have equal change times, so an answer from right after a change is not reused. Where
 * some changes set no time, such as those that another machine makes, an answer lives a second at
 * most, and elsewhere a minute.
 *
 * @param known the rights that were checked, as in one digit of a mode
 * @param granted the granted ones among them
 * @param settled whether any later change has another change time
 * @param asked when the kernel was asked, by {@link System#nanoTime}
 * @param lifeNanos how long the answer lives from then on
 */
record Grant(
        int known,
        int granted,
        int mode,
        int uid,
        int gid,
        long changedSeconds,
        int changedNanos,
        boolean settled,
        long asked,
        long lifeNanos) {
    /** Longer than a clock tick of any kernel. */
    private static final long TICK_NANOS = 50_000_000;

    private static final long SECOND_NANOS = 1_000_000_000;

    /** The coarsest times of files of any file system: those of FAT. */
    private static final long COARSEST_NANOS = 2 * SECOND_NANOS;

    private static final long LIFE_NANOS = 60 * SECOND_NANOS;
    private static final long UNDATED_LIFE_NANOS = SECOND_NANOS;

    /**
     * @param isDated whether the file system is one where each change of rights sets a time
     * @param scratch holds the attributes, which were read before the check
     * @param now the system time from before these were read, in milliseconds
     * @param asked the same, by {@link System#nanoTime}
     */
    static Grant of(
            boolean isDated, Scratch scratch, int known, int granted, long now, long asked) {
        long seconds = Statx.changedSeconds(scratch);
        int nanos = Statx.changedNanos(scratch);
        long nowSeconds = Math.floorDiv(now, 1000);
        long age =
                nowSeconds - seconds > COARSEST_NANOS / SECOND_NANOS
                        ? COARSEST_NANOS + SECOND_NANOS
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
                age > TICK_NANOS + unit(nanos),
                asked,
                isDated ? LIFE_NANOS : UNDATED_LIFE_NANOS);
    }

    /**
     * Returns no less than the unit that a file system has for times, by one of its times: only
     * digits that are not 0 show that it is smaller than two seconds.
     *
     * @param nanos the part of the time below a second
     */
    static long unit(int nanos) {
        if (nanos == 0) {
            return COARSEST_NANOS;
        }
        long unit = 1;
        while (nanos % (unit * 10) == 0) {
            unit *= 10;
        }
        return unit;
    }

    /**
     * Returns whether the answer still holds for these rights.
     *
     * @param now by {@link System#nanoTime}
     */
    boolean holds(Scratch scratch, int wanted, long now) {
        return settled
                && now - asked <= lifeNanos
                && (known & wanted) == wanted
                && changedSeconds == Statx.changedSeconds(scratch)
                && changedNanos == Statx.changedNanos(scratch)
                && mode == Statx.mode(scratch)
                && uid == Statx.uid(scratch)
                && gid == Statx.gid(scratch);
    }
}
