package io.github.rpcrdma4j.iwarp.tcp;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Converts timeouts to nanoseconds, from which deadlines can be computed. */
final class Timeouts {
    private Timeouts() {}

    /**
     * Returns a timeout in nanoseconds. A timeout of more than 146 years is reduced to half the
     * range of a clock, so that its sum with {@link System#nanoTime} does not wrap.
     */
    static long nanos(Duration timeout) {
        // This conversion saturates, where Duration.toNanos would throw.
        return Math.min(TimeUnit.NANOSECONDS.convert(timeout), Long.MAX_VALUE / 2);
    }
}
