package io.github.rpcrdma4j.nfs.server.metrics;

import io.github.rpcrdma4j.oncrpc.Timeouts;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * A histogram of how long something took. To add a duration costs two increments, and no lock.
 * Thread-safe.
 */
public final class Durations {
    /**
     * A page from the cache of the kernel takes tens of microseconds; a slow disk, milliseconds.
     */
    private static final long[] BOUNDS = {
        10_000,
        25_000,
        50_000,
        100_000,
        250_000,
        500_000,
        1_000_000,
        2_500_000,
        5_000_000,
        10_000_000,
        50_000_000,
        250_000_000,
        1_000_000_000,
        10_000_000_000L
    };

    private final LongAdder[] counts =
            Stream.generate(LongAdder::new).limit(BOUNDS.length + 1).toArray(LongAdder[]::new);
    private final LongAdder nanos = new LongAdder();

    Durations() {
        // Nothing has been added.
    }

    /** Returns the upper bounds of the buckets, each included. One more bucket has no bound. */
    public static List<Duration> bounds() {
        return LongStream.of(BOUNDS).mapToObj(Duration::ofNanos).toList();
    }

    void add(long took) {
        int bucket = 0;
        while (bucket < BOUNDS.length && took > BOUNDS[bucket]) {
            bucket++;
        }
        counts[bucket].increment();
        nanos.add(took);
    }

    /** Returns how many durations were added. */
    public long count() {
        return Arrays.stream(counts).mapToLong(LongAdder::sum).sum();
    }

    /**
     * Returns how many durations lie in each bucket, and not in one before it: one count more than
     * there are {@link #bounds}.
     */
    public List<Long> counts() {
        return Arrays.stream(counts).map(LongAdder::sum).toList();
    }

    /** Returns the sum of all. */
    public Duration sum() {
        return Duration.ofNanos(nanos.sum());
    }

    @Override
    public String toString() {
        return count() + " in " + Timeouts.words(sum());
    }
}
