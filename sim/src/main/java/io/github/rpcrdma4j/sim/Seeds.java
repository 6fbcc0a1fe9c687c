package io.github.rpcrdma4j.sim;

import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.LongStream;

/**
 * Seeds of tests that draw: printed, so that a run can be had again with {@code ./dev/test
 * -Dseed=N}.
 */
public final class Seeds {
    private Seeds() {}

    /** The seed that was asked for, or a fresh one. */
    public static long one() {
        var asked = System.getProperty("seed", "");
        long seed =
                asked.isEmpty() ? ThreadLocalRandom.current().nextLong() : Long.parseLong(asked);
        System.out.println("seed=" + seed);
        return seed;
    }

    /** Only the seed that was asked for, or the first {@code count} numbers behind a fresh one. */
    public static LongStream many(int count) {
        long first = one();
        return System.getProperty("seed", "").isEmpty()
                ? LongStream.range(0, count).map(i -> first + i)
                : LongStream.of(first);
    }
}
