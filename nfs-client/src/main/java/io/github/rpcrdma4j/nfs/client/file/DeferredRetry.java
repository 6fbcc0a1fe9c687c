package io.github.rpcrdma4j.nfs.client.file;

import io.github.rpcrdma4j.nfs.client.service.Status;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * Computes when to repeat a call that the server has deferred, because it asks the client to wait
 * and try again (NFS3ERR_JUKEBOX: RFC 1813, Section 2.6; NFS4ERR_DELAY: RFC 8881, Section
 * 15.1.1.3). The pauses grow, and no attempt starts after the deadline of the call. Times are those
 * of {@link System#nanoTime}. Reads no clock.
 */
public final class DeferredRetry {
    /** The first pause, in nanoseconds. */
    public static final long FIRST_NANOS = 100_000_000L;

    /** The longest pause, in nanoseconds. */
    public static final long LONGEST_NANOS = 3_000_000_000L;

    private final long deadline;
    private long pause = FIRST_NANOS;

    /**
     * Starts the deadline of a call.
     *
     * @param timeout of the call
     * @param now time of the first attempt
     */
    public DeferredRetry(Duration timeout, long now) {
        // Saturates, unlike Duration.toNanos; half the range leaves room for the sum.
        deadline = now + Math.min(TimeUnit.NANOSECONDS.convert(timeout), Long.MAX_VALUE / 2);
    }

    /**
     * Returns the time of the next attempt after a refusal. Only {@link Status#JUKEBOX} allows one.
     *
     * @param now when the server refused
     * @return empty if the call has failed
     */
    public OptionalLong after(Status refusal, long now) {
        return refusal == Status.JUKEBOX ? next(now) : OptionalLong.empty();
    }

    /**
     * Returns the time of the next attempt, and doubles the following pause.
     *
     * @param now when the server deferred the call
     * @return empty if the deadline comes first
     */
    public OptionalLong next(long now) {
        long due = now + pause;
        pause = Math.min(2 * pause, LONGEST_NANOS);
        return due - deadline > 0 ? OptionalLong.empty() : OptionalLong.of(due);
    }
}
