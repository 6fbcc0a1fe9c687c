package io.github.rpcrdma4j.rpcrdma.connection;

import io.github.rpcrdma4j.oncrpc.Timeouts;
import java.time.Duration;
import java.util.Optional;

/**
 * Notices a peer that keeps posted work waiting: for as long as the oldest of it stays the same,
 * nothing behind it is done either. A peer that takes a little now and then does not get far with
 * that: what is posted at one time has to be done at a least rate. Times are arguments, in
 * nanoseconds of any origin. Guarded by the lock of the endpoint.
 */
public final class StallWatch {
    /** Slower than a megabit in a second is no network that RDMA is for. */
    private static final long LEAST_BYTES_PER_SECOND = 128 << 10;

    private static final long NANOS_PER_BYTE =
            Duration.ofSeconds(1).toNanos() / LEAST_BYTES_PER_SECOND;

    private final Endpoint endpoint;
    private final long takeNanos;
    private final long giveNanos;
    private long progress = -1;
    private long since;

    /** When so much work is done, all is that was posted when this was last set. */
    private long mark = -1;

    /** By when that has to be so. */
    private long markedUntil;

    /**
     * @param takeTimeout how long the peer may take nothing
     * @param giveTimeout how long it may give no data for an RDMA Read
     */
    public StallWatch(Endpoint endpoint, Duration takeTimeout, Duration giveTimeout) {
        this.endpoint = endpoint;
        this.takeNanos = Timeouts.nanos(takeTimeout);
        this.giveNanos = Timeouts.nanos(giveTimeout);
    }

    /**
     * Why the connection is to be closed; empty if nothing has waited for too long.
     *
     * @param haste the timeouts are divided by this, but for time that was granted: others wait for
     *     what this connection holds
     */
    public Optional<String> check(long now, int haste) {
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
                    now + Math.max(takeNanos, giveNanos) + endpoint.bytesLeft() * NANOS_PER_BYTE;
        }
        boolean isSlow = now - markedUntil >= 0;
        boolean isTaking = awaited == Endpoint.Awaited.TAKING;
        if (isSlow) {
            return Optional.of(
                    isTaking
                            ? "the peer takes what is sent to it too slowly"
                            : "the peer answers RDMA Reads too slowly");
        }
        if (now - since < (isTaking ? takeNanos : giveNanos) / haste) {
            return Optional.empty();
        }
        return Optional.of(
                isTaking
                        ? "the peer takes nothing that is sent to it"
                        : "the peer does not answer an RDMA Read");
    }
}
