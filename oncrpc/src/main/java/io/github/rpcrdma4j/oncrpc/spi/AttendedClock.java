package io.github.rpcrdma4j.oncrpc.spi;

import java.util.function.LongSupplier;

/**
 * A clock for what a server awaits from its clients. It stands still while the server does not run:
 * while its process is stopped, its machine is suspended, or its virtual machine collects garbage.
 * What clients send meanwhile waits in sockets. With an ordinary clock, the server would take them
 * for silent before it reads that. Times are in nanoseconds of any origin.
 *
 * <p>A running server reads the clock at least once a second. Thread-safe.
 */
public final class AttendedClock {
    /** A longer time between two readings is a pause. */
    private static final long PAUSE_NANOS = 5_000_000_000L;

    /** A reading is remembered if the remembered one is older than this. */
    private static final long REMEMBERED_NANOS = 500_000_000L;

    private final LongSupplier nanoTime;
    private volatile Reading latest;

    /**
     * One reading.
     *
     * @param time by the ordinary clock
     * @param missed how long this clock has stood still until then
     */
    private record Reading(long time, long missed) {}

    /**
     * Makes a clock that goes with another one.
     *
     * @param nanoTime the time of an ordinary clock
     */
    public AttendedClock(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.latest = new Reading(nanoTime.getAsLong(), 0);
    }

    /** Reads the clock. */
    public long time() {
        // In this order: the time of the ordinary clock must not be after a pause that the
        // remembered reading does not know.
        var before = latest;
        long now = nanoTime.getAsLong();
        return now - (now - before.time > REMEMBERED_NANOS ? remember(now) : before.missed);
    }

    private synchronized long remember(long now) {
        var before = latest;
        long since = now - before.time;
        long missed = before.missed + (since > PAUSE_NANOS ? since : 0);
        if (since > 0) {
            latest = new Reading(now, missed);
        }
        return missed;
    }

    /** Returns how long the clock has stood still until the latest reading. */
    public long missed() {
        return latest.missed;
    }
}
