package io.github.rpcrdma4j.sim;

import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.LongStream;

/**
 * Seeds of randomized tests. A seed is printed, so that {@code ./dev/test -Dseed=N} repeats the
 * run. To repeat one test class, add {@code -Dtest=CLASS -Dsurefire.failIfNoSpecifiedTests=false}.
 */
public final class Seeds {
    private Seeds() {}

    /** Returns whether a seed is given, so that this run repeats an earlier one. */
    public static boolean isGiven() {
        return !given().isEmpty();
    }

    /**
     * Returns how many rounds a test of random damage has: the value of the system property {@code
     * hostile.messages}, which {@code dev/hostile} sets, or {@code usual} without it.
     */
    public static int rounds(int usual) {
        return Integer.getInteger("hostile.messages", usual);
    }

    private static String given() {
        return System.getProperty("seed", "");
    }

    /** Returns the given seed, or a random one, and prints it. */
    public static long one() {
        long seed = isGiven() ? Long.parseLong(given()) : ThreadLocalRandom.current().nextLong();
        System.out.println("seed=" + seed);
        return seed;
    }

    /**
     * Returns the given seed alone; without one, {@code count} consecutive numbers from a random
     * seed on.
     */
    public static LongStream many(int count) {
        long first = one();
        return isGiven() ? LongStream.of(first) : LongStream.range(0, count).map(i -> first + i);
    }
}
