package io.github.rpcrdma4j.oncrpc;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Converts timeouts to nanoseconds, from which deadlines can be computed. */
public final class Timeouts {
    private Timeouts() {}

    /**
     * Returns a timeout in nanoseconds. A timeout of more than 146 years is reduced to half the
     * range of a clock, so that its sum with {@link System#nanoTime} does not wrap.
     */
    public static long nanos(Duration timeout) {
        // This conversion saturates, where Duration.toNanos would throw.
        return Math.min(TimeUnit.NANOSECONDS.convert(timeout), Long.MAX_VALUE / 2);
    }

    /**
     * Returns the timeout of a call in nanoseconds, like {@link #nanos}.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public static long nanosOfCall(Duration timeout) {
        requireNotNegative(timeout);
        return nanos(timeout);
    }

    /**
     * Checks the timeout of a call.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public static void requireNotNegative(Duration timeout) {
        if (timeout.isNegative()) {
            throw new IllegalArgumentException("a timeout must not be negative: " + words(timeout));
        }
    }

    /** Returns a time in words for a user, in whole seconds if it has no smaller parts. */
    public static String words(Duration time) {
        if (time.isPositive() && time.compareTo(Duration.ofMillis(1)) < 0) {
            return time.toNanos() + " ns";
        }
        return time.toMillisPart() == 0 ? time.toSeconds() + " s" : time.toMillis() + " ms";
    }
}
