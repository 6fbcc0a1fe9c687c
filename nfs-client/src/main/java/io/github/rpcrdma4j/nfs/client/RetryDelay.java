package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.v3.Status;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * When a call is made again that the server has put off: NFS3ERR_JUKEBOX says that the client shall
 * wait and try again (RFC 1813, Section 2.6). The pauses grow, and no try starts after the deadline
 * of the call. Times are those of {@link System#nanoTime}. Pure.
 */
final class RetryDelay {
    /** The first pause, in nanoseconds. */
    static final long FIRST_NANOS = 100_000_000L;

    /** The longest pause, in nanoseconds. */
    static final long LONGEST_NANOS = 3_000_000_000L;

    private final long giveUp;
    private long pause = FIRST_NANOS;

    /**
     * @param deadline of the call
     * @param now when it is made for the first time
     */
    RetryDelay(Duration deadline, long now) {
        // Saturates, unlike Duration.toNanos; half the range leaves room for the sum.
        giveUp = now + Math.min(TimeUnit.NANOSECONDS.convert(deadline), Long.MAX_VALUE / 2);
    }

    /**
     * When to try again after a refusal: only NFS3ERR_JUKEBOX puts a call off.
     *
     * @param now when the server refused
     * @return empty if the call has failed
     */
    OptionalLong after(Status refusal, long now) {
        return refusal == Status.JUKEBOX ? next(now) : OptionalLong.empty();
    }

    /**
     * Takes a step.
     *
     * @param now when the server put the call off
     * @return when to try again; empty if there is no time for it
     */
    OptionalLong next(long now) {
        long due = now + pause;
        pause = Math.min(2 * pause, LONGEST_NANOS);
        return due - giveUp > 0 ? OptionalLong.empty() : OptionalLong.of(due);
    }
}
