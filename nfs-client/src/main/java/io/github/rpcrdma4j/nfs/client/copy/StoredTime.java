package io.github.rpcrdma4j.nfs.client.copy;

import java.time.Duration;
import java.time.Instant;

/**
 * The modification time of a file, as its file system stored it. Many keep coarser times than they
 * are given: whole seconds (ext2), even seconds (FAT), or 100 ns (NTFS), and none after 2038. How
 * coarse they are shows in the time of the last status change, which comes from the clock. Pure
 * functions.
 *
 * @param modified the time that was stored
 * @param changed when contents or attributes last changed
 */
record StoredTime(Instant modified, Instant changed) {
    private static final int CENTISECOND = 10_000_000;
    private static final int MILLISECOND = 1_000_000;
    private static final int MICROSECOND = 1000;

    /** The unit of times in NTFS. */
    private static final int FILETIME = 100;

    private static final long SECONDS_SIGNED_MAX = Integer.MAX_VALUE;
    private static final long SECONDS_UNSIGNED_MAX = 0xffff_ffffL;

    /**
     * Returns whether the file system stores this time when it is given another one.
     *
     * @param step the unit of times that it claims to have
     */
    boolean isOf(Instant given, Duration step) {
        var distance = Duration.between(given, modified).abs();
        return distance.compareTo(step) < 0
                || distance.compareTo(unit()) < 0
                || isLast() && given.isAfter(modified);
    }

    /** Returns whether this is the last time that the file system may have. */
    private boolean isLast() {
        long seconds = modified.getEpochSecond();
        return seconds == SECONDS_SIGNED_MAX || seconds == SECONDS_UNSIGNED_MAX;
    }

    /** Returns the largest unit of times that agrees with both times; zero if there is none. */
    private Duration unit() {
        int clock = changed.getNano();
        int stored = modified.getNano();
        if (clock % CENTISECOND == 0 && stored == 0) {
            return Duration.ofSeconds(modified.getEpochSecond() % 2 == 0 ? 2 : 1);
        }
        for (int unit : new int[] {CENTISECOND, MILLISECOND, MICROSECOND, FILETIME}) {
            if (clock % unit == 0 && stored % unit == 0) {
                return Duration.ofNanos(unit);
            }
        }
        return Duration.ZERO;
    }
}
