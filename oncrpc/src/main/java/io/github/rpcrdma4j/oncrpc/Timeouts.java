package io.github.rpcrdma4j.oncrpc;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** How long a caller waits, as a number that deadlines can be made of. */
public final class Timeouts {
    private Timeouts() {}

    /**
     * A timeout in nanoseconds. One of more than 146 years is cut to half the range of a clock, so
     * that the sum of it and {@link System#nanoTime} does not wrap.
     */
    public static long nanos(Duration timeout) {
        // Duration.toNanos throws where this conversion saturates.
        return Math.min(TimeUnit.NANOSECONDS.convert(timeout), Long.MAX_VALUE / 2);
    }
}
