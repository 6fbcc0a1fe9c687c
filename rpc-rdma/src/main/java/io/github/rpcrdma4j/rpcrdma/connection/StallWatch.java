package io.github.rpcrdma4j.rpcrdma.connection;

import io.github.rpcrdma4j.oncrpc.Timeouts;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Detects a peer that stalls posted work. A peer is behind by the time since the start of a wait,
 * less the time that its bytes pay for at a minimum rate. So a slow peer that makes progress is
 * never too late, and one that moves a byte now and then is. Work that was posted at one time must
 * be done in a bounded time, too. Times are arguments, in nanoseconds of any origin. Guarded by the
 * lock of the endpoint.
 */
public final class StallWatch {
    /** No RDMA network is slower than this, in bytes a second: a megabit per second. */
    public static final long NETWORK_RATE = 128 << 10;

    /**
     * The minimum rate of one connection, in bytes a second. A client may have several, and a Linux
     * mount has up to 16.
     */
    public static final long LEAST_RATE = NETWORK_RATE / 16;

    private static final long NANOS_PER_SECOND = Duration.ofSeconds(1).toNanos();

    /** What is awaited from the peer. */
    private enum Wait {
        NOTHING,
        /** Posted work. */
        WORK,
        /** Something that frees memory, without posted work. */
        RELEASE
    }

    private final Endpoint endpoint;
    private final long sendNanos;
    private final long readNanos;
    private Wait wait = Wait.NOTHING;

    /** The time for which the peer has paid. */
    private long paidUntil;

    /** {@link Endpoint#workDone} and the bytes moved, at the last check. */
    private long done;

    private OptionalLong moved = OptionalLong.empty();

    /**
     * The value of {@link Endpoint#workDone} at which all work posted at the last marking is done.
     */
    private long mark;

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
     * Looks at the progress of the peer since the last look.
     *
     * @param now the time in nanoseconds
     * @param awaitsRelease whether memory is kept until the peer does something, also if no work is
     *     posted
     * @param rate the bytes a second with which the peer does not fall behind
     */
    public void look(long now, boolean awaitsRelease, long rate) {
        var before = wait;
        boolean isWork = endpoint.awaited() != Endpoint.Awaited.NOTHING;
        wait = isWork ? Wait.WORK : awaitsRelease ? Wait.RELEASE : Wait.NOTHING;
        if (wait == Wait.NOTHING) {
            return;
        }
        long doneBefore = done;
        var movedBefore = moved;
        done = endpoint.workDone();
        moved = endpoint.queuePair().bytesMoved();
        if (wait != before || done >= mark) {
            mark(now);
            paidUntil = now;
        } else if (moved.isPresent() && movedBefore.isPresent()) {
            pay(now, moved.getAsLong() - movedBefore.getAsLong(), rate);
        } else if (done != doneBefore) {
            paidUntil = now;
        }
    }

    private void mark(long now) {
        // Without posted work, any work that is done is progress.
        mark = done + Math.max(1, endpoint.workLeft());
        long rate = moved.isPresent() ? LEAST_RATE : NETWORK_RATE;
        markedUntil = now + Math.max(sendNanos, readNanos) + nanos(endpoint.bytesLeft(), rate);
    }

    private void pay(long now, long bytes, long rate) {
        paidUntil += Math.min(nanos(bytes, rate), now - paidUntil);
    }

    private static long nanos(long bytes, long rate) {
        return bytes * (NANOS_PER_SECOND / rate);
    }

    /**
     * Returns how long the peer was behind at the last look, in nanoseconds; 0 if nothing is
     * awaited from it.
     *
     * @param now the time of the last look
     */
    public long behind(long now) {
        return wait == Wait.NOTHING ? 0 : now - paidUntil;
    }

    /**
     * Returns the reason to close the connection, or empty if no work has waited for too long.
     *
     * @param now the time of the last look
     * @param timeoutDivisor the divisor of the two timeouts, above 1 if others wait for memory of
     *     this connection; the bounded time for all work is not divided
     */
    public Optional<String> check(long now, int timeoutDivisor) {
        if (wait != Wait.WORK) {
            return Optional.empty();
        }
        boolean isSend = endpoint.awaited() == Endpoint.Awaited.PEER_ACCEPTANCE;
        if (now - markedUntil >= 0) {
            return Optional.of(
                    isSend
                            ? "the peer accepts data too slowly"
                            : "the peer answers RDMA Reads too slowly");
        }
        if (behind(now) < (isSend ? sendNanos : readNanos) / timeoutDivisor) {
            return Optional.empty();
        }
        return Optional.of(
                isSend ? "the peer accepts no data" : "the peer does not answer an RDMA Read");
    }
}
