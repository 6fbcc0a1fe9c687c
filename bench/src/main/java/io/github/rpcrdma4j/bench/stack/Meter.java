package io.github.rpcrdma4j.bench.stack;

import java.io.Serializable;
import org.HdrHistogram.Histogram;

/**
 * Counts the calls of a round and measures the time of each. All rounds reuse the same memory, so
 * that only the stack allocates during a round.
 */
public final class Meter {
    private static final long LONGEST_NANOS = 100_000_000_000L;
    private static final int DIGITS = 2;
    private static final double MEDIAN = 50;
    private static final double SLOW = 99;

    /**
     * The results of a round.
     *
     * @param calls the number of completed calls
     * @param nanos the length of the round
     * @param p50Nanos the median of the round trips, in nanoseconds
     * @param p99Nanos the 99th percentile of the round trips, in nanoseconds
     */
    public record Round(long calls, long nanos, long p50Nanos, long p99Nanos)
            implements Serializable {
        public double callsPerSecond() {
            return calls * 1e9 / nanos;
        }
    }

    /** A sequence of calls, one after another. One thread at a time uses a slot. */
    public final class Slot {
        private final Histogram roundTrips = new Histogram(LONGEST_NANOS, DIGITS);
        private long began;

        /** Records the start of a call. */
        public void begin() {
            began = System.nanoTime();
        }

        /**
         * Records the end of a call. Returns whether the round wants another one, which begins at
         * once.
         */
        public boolean next() {
            long now = System.nanoTime();
            roundTrips.recordValue(Math.min(now - began, LONGEST_NANOS));
            began = now;
            return now - end < 0;
        }
    }

    private final Slot[] slots;
    private final Histogram all = new Histogram(LONGEST_NANOS, DIGITS);
    private long nanos;
    private long start;
    private volatile long end;
    private long stopped;

    /**
     * @param outstanding the number of outstanding calls
     */
    public Meter(int outstanding) {
        slots = new Slot[outstanding];
        for (int i = 0; i < outstanding; i++) {
            slots[i] = new Slot();
        }
    }

    /**
     * Prepares the next round and clears the results of the last one.
     *
     * @param roundNanos the length of the round; calls begun in it still count. With 0 each slot
     *     makes one call
     */
    public Meter of(long roundNanos) {
        nanos = roundNanos;
        for (var slot : slots) {
            slot.roundTrips.reset();
        }
        all.reset();
        return this;
    }

    public int slots() {
        return slots.length;
    }

    public Slot slot(int index) {
        return slots[index];
    }

    /** Records the start of the first call. */
    public void start() {
        start = System.nanoTime();
        end = start + nanos;
    }

    /** Records the end of the last call. */
    public void stop() {
        stopped = System.nanoTime();
    }

    /** Returns the results from start to stop. */
    public Round round() {
        for (var slot : slots) {
            all.add(slot.roundTrips);
        }
        return new Round(
                all.getTotalCount(),
                stopped - start,
                all.getValueAtPercentile(MEDIAN),
                all.getValueAtPercentile(SLOW));
    }
}
