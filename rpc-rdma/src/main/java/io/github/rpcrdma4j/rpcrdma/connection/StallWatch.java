package io.github.rpcrdma4j.rpcrdma.connection;

import io.github.rpcrdma4j.oncrpc.Timeouts;
import java.time.Duration;
import java.util.Optional;

/**
 * Detects a peer that stalls posted work. Work completes in order, so an unchanged oldest work
 * request means no progress. A peer that progresses only slowly is detected, too: work posted at
 * one time must complete at a minimum rate. Times are arguments, in nanoseconds of any origin.
 * Guarded by the lock of the endpoint.
 */
public final class StallWatch {
    /** The minimum rate: no RDMA network is slower than a megabit per second. */
    private static final long LEAST_BYTES_PER_SECOND = 128 << 10;

    private static final long NANOS_PER_BYTE =
            Duration.ofSeconds(1).toNanos() / LEAST_BYTES_PER_SECOND;

    private final Endpoint endpoint;
    private final long sendNanos;
    private final long readNanos;
    private long progress = -1;
    private long since;

    /**
     * The value of {@link Endpoint#workDone} at which all work posted at the last marking is done.
     */
    private long mark = -1;

    /** The time until which {@link #mark} must be reached. */
    private long markedUntil;

    /**
     * @param sendTimeout how long the peer may accept no data
     * @param readTimeout how long the peer may send no data for an RDMA Read
     */
    public StallWatch(Endpoint endpoint, Duration sendTimeout, Duration readTimeout) {
        this.endpoint = endpoint;
        this.sendNanos = Timeouts.nanos(sendTimeout);
        this.readNanos = Timeouts.nanos(readTimeout);
    }

    /**
     * Returns the reason to close the connection, or empty if no work has waited for too long.
     *
     * @param now the time in nanoseconds
     * @param timeoutDivisor the divisor of the two timeouts, above 1 if others wait for memory of
     *     this connection; the time for the minimum rate is not divided
     */
    public Optional<String> check(long now, int timeoutDivisor) {
        var awaited = endpoint.awaited();
        long done = endpoint.workDone();
        if (awaited == Endpoint.Awaited.NOTHING) {
            progress = -1;
            mark = -1;
            return Optional.empty();
        }
        if (done != progress) {
            progress = done;
            since = now;
        }
        if (mark < 0 || done >= mark) {
            mark = done + endpoint.workLeft();
            markedUntil =
                    now + Math.max(sendNanos, readNanos) + endpoint.bytesLeft() * NANOS_PER_BYTE;
        }
        boolean isSlow = now - markedUntil >= 0;
        boolean isSend = awaited == Endpoint.Awaited.PEER_ACCEPTANCE;
        if (isSlow) {
            return Optional.of(
                    isSend
                            ? "the peer accepts data too slowly"
                            : "the peer answers RDMA Reads too slowly");
        }
        if (now - since < (isSend ? sendNanos : readNanos) / timeoutDivisor) {
            return Optional.empty();
        }
        return Optional.of(
                isSend ? "the peer accepts no data" : "the peer does not answer an RDMA Read");
    }
}
