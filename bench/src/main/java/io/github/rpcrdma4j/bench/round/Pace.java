package io.github.rpcrdma4j.bench.round;

import java.util.concurrent.TimeUnit;

/**
 * How long everything takes.
 *
 * @param rounds of each series on each line
 * @param roundNanos one of them
 * @param warmUpNanos before the rounds of a line
 * @param firstWarmUpNanos for each length of a kind of work when a process is new: the compiler
 *     needs its time
 * @param copyBytes the length of the file that is copied
 */
public record Pace(
        int rounds, long roundNanos, long warmUpNanos, long firstWarmUpNanos, long copyBytes) {
    private static final long GIGABYTE = 1_000_000_000;

    public static final Pace FULL = new Pace(7, millis(300), millis(250), millis(3000), GIGABYTE);
    public static final Pace QUICK =
            new Pace(3, millis(200), millis(150), millis(1000), GIGABYTE / 4);

    public Pace withRounds(int changed) {
        return new Pace(changed, roundNanos, warmUpNanos, firstWarmUpNanos, copyBytes);
    }

    private static long millis(long count) {
        return TimeUnit.MILLISECONDS.toNanos(count);
    }
}
