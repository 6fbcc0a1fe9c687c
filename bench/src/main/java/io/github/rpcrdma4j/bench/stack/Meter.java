package io.github.rpcrdma4j.bench.stack;

import java.io.Serializable;
import org.HdrHistogram.Histogram;

/**
 * Counts the calls of a round, and takes the time of each. One round after the other has the same
 * memory, so that what is allocated in it is the stack's alone.
 */
public final class Meter {
    private static final long LONGEST_NANOS = 100_000_000_000L;
    private static final int DIGITS = 2;
    private static final double MEDIAN = 50;
    private static final double SLOW = 99;

    /**
     * What a round showed.
     *
     * @param calls how many were completed
     * @param nanos how long that took
     * @param p50Nanos the median of the round trips
     * @param p99Nanos what all but a hundredth of them stayed under
     */
    public record Round(long calls, long nanos, long p50Nanos, long p99Nanos)
            implements Serializable {
        public double callsPerSecond() {
            return calls * 1e9 / nanos;
        }
    }

    /** One call after the other; used by one thread at a time. */
    public final class Slot {
        private final Histogram roundTrips = new Histogram(LONGEST_NANOS, DIGITS);
        private long began;

        /** A call begins now. */
        public void begin() {
            began = System.nanoTime();
        }

        /** A call has ended now; returns whether another is wanted, which begins at once. */
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
     * @param outstanding how many calls are in flight
     */
    public Meter(int outstanding) {
        slots = new Slot[outstanding];
        for (int i = 0; i < outstanding; i++) {
            slots[i] = new Slot();
        }
    }

    /**
     * Forgets the round before.
     *
     * @param roundNanos how long; calls that have begun are waited for. 0 for one call of each slot
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

    /** The first call begins. */
    public void start() {
        start = System.nanoTime();
        end = start + nanos;
    }

    /** The last call has ended. */
    public void stop() {
        stopped = System.nanoTime();
    }

    /** What was measured from start to stop. */
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
