package io.github.rpcrdma4j.sim;

import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.LongStream;

/**
 * Seeds of tests that draw: printed, so that a run can be had again with {@code ./dev/test
 * -Dseed=N}, and one class of them with {@code -Dtest=CLASS
 * -Dsurefire.failIfNoSpecifiedTests=false} added.
 */
public final class Seeds {
    private Seeds() {}

    /** Whether this run is to repeat an earlier one. */
    public static boolean isAsked() {
        return !asked().isEmpty();
    }

    /**
     * How many rounds a test of random damage has: what the property {@code hostile.messages} says,
     * as {@code dev/hostile} does, or {@code usual} of them.
     */
    public static int rounds(int usual) {
        return Integer.getInteger("hostile.messages", usual);
    }

    private static String asked() {
        return System.getProperty("seed", "");
    }

    /** The seed that was asked for, or a fresh one. */
    public static long one() {
        long seed = isAsked() ? Long.parseLong(asked()) : ThreadLocalRandom.current().nextLong();
        System.out.println("seed=" + seed);
        return seed;
    }

    /** Only the seed that was asked for, or the first {@code count} numbers behind a fresh one. */
    public static LongStream many(int count) {
        long first = one();
        return isAsked() ? LongStream.of(first) : LongStream.range(0, count).map(i -> first + i);
    }
}
