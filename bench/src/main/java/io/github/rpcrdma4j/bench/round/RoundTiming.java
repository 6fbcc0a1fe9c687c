package io.github.rpcrdma4j.bench.round;

import java.util.concurrent.TimeUnit;

/**
 * The number of rounds, and their times.
 *
 * @param rounds the number of rounds of each series at each load point
 * @param roundNanos the length of a round, in nanoseconds
 * @param warmUpNanos the warm-up before the rounds of a load point, in nanoseconds
 * @param firstWarmUpNanos the warm-up of a new process for each length of a kind of work, in
 *     nanoseconds; the JIT compiler needs this time
 * @param copyBytes the length of the copied file
 */
public record RoundTiming(
        int rounds, long roundNanos, long warmUpNanos, long firstWarmUpNanos, long copyBytes) {
    private static final long GIGABYTE = 1_000_000_000;

    public static final RoundTiming FULL =
            new RoundTiming(7, millis(300), millis(250), millis(3000), GIGABYTE);
    public static final RoundTiming QUICK =
            new RoundTiming(3, millis(200), millis(150), millis(1000), GIGABYTE / 4);

    public RoundTiming withRounds(int changed) {
        return new RoundTiming(changed, roundNanos, warmUpNanos, firstWarmUpNanos, copyBytes);
    }

    private static long millis(long count) {
        return TimeUnit.MILLISECONDS.toNanos(count);
    }
}
