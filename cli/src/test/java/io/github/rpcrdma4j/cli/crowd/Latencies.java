package io.github.rpcrdma4j.cli.crowd;

import java.util.Arrays;
import java.util.Locale;

/**
 * The latencies of the calls in one phase.
 *
 * @param calls number of answered calls
 * @param failed number of failed calls
 * @param median in nanoseconds, as the other latencies; zero if there were no calls
 */
record Latencies(int calls, int failed, long median, long p99, long max) {
    private static final double MILLI = 1e6;
    private static final double HIGH = 0.99;

    /** Collects latencies. Thread-safe. */
    static final class Meter {
        private long[] nanos = new long[1 << 12];
        private int calls;
        private int failed;

        synchronized void answered(long taken) {
            if (calls == nanos.length) {
                nanos = Arrays.copyOf(nanos, 2 * calls);
            }
            nanos[calls++] = taken;
        }

        synchronized void failed() {
            failed++;
        }

        /** Returns the latencies since the previous call of this method. */
        synchronized Latencies take() {
            var sorted = Arrays.copyOf(nanos, calls);
            Arrays.sort(sorted);
            var taken =
                    calls == 0
                            ? new Latencies(0, failed, 0, 0, 0)
                            : new Latencies(
                                    calls,
                                    failed,
                                    sorted[calls / 2],
                                    sorted[(int) (calls * HIGH)],
                                    sorted[calls - 1]);
            calls = 0;
            failed = 0;
            return taken;
        }
    }

    /** Returns the numbers in a form for another process. */
    String encode() {
        return calls + " " + failed + " " + median + " " + p99 + " " + max;
    }

    static Latencies decode(String encoded) {
        var words = encoded.split(" ");
        return new Latencies(
                Integer.parseInt(words[0]),
                Integer.parseInt(words[1]),
                Long.parseLong(words[2]),
                Long.parseLong(words[3]),
                Long.parseLong(words[4]));
    }

    static String millis(long nanos) {
        return String.format(Locale.ROOT, "%.2f ms", nanos / MILLI);
    }

    /** Returns the numbers in words for a reader. */
    String words() {
        return "p50 %s, p99 %s, max %s of %d calls, %d failed"
                .formatted(millis(median), millis(p99), millis(max), calls, failed);
    }
}
