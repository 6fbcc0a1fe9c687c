package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.file.DeferredRetry;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.OutcomeUnknownException;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.client.service.Waits;
import io.github.rpcrdma4j.nfs.client.v4.state.Grace;
import io.github.rpcrdma4j.nfs.client.v4.v40.ClientGone;
import java.io.IOException;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Decides whether a call that failed is made again, and when. A call waits for a server that is
 * busy as long as for a reply, and for one that has restarted as long as it may wait for its
 * clients. Reads no clock. Used by one thread at a time.
 *
 * <p>If the first copy of a call may have been carried out by a server that has forgotten it, a
 * later refusal may come from that: then nobody knows what was done, and the caller is told so.
 *
 * <p>Who asks for the next attempt waits for it, and closes the attempts when the call has ended.
 *
 * <p>Tests: {@code SimulatedFaultsTest}, {@code SimulatedLeaseTest}.
 */
final class Attempts implements AutoCloseable {
    private final Planning planning;
    private final String what;
    private final DeferredRetry whileBusy;
    private final Recovery recovery;
    private final Waits.Begun wait;
    private boolean mayBeDone;

    /** Whether the server did not know a stateid before, and still has the client. */
    private boolean wasStateIdGone;

    /**
     * Begins with the first attempt.
     *
     * @param what for the message of a failure
     * @param timeout of a call
     * @param grace how long the server may wait for its clients, as is known then
     * @param waits hears for what the call waits
     * @param now the time in nanoseconds
     */
    Attempts(
            Planning planning,
            String what,
            Duration timeout,
            Supplier<Grace> grace,
            Waits waits,
            long now) {
        this.planning = planning;
        this.what = what;
        this.whileBusy = new DeferredRetry(timeout, now);
        this.recovery = new Recovery(timeout, grace, now);
        this.wait = waits.ofCall();
    }

    Planning planning() {
        return planning;
    }

    String what() {
        return what;
    }

    /**
     * Returns when to make the call again.
     *
     * @param now when it failed, in nanoseconds
     * @throws IOException if it has failed for good
     */
    long next(IOException failure, long now) throws IOException {
        var due = due(failure, now);
        if (due.isEmpty()) {
            throw last(failure);
        }
        wait.on(reason(failure));
        return due.getAsLong();
    }

    /** The server works on the call, or cannot yet: the same call is sent again after a pause. */
    void delayed() {
        wait.on(Waits.Reason.BUSY);
    }

    private static Waits.Reason reason(IOException failure) {
        return switch (failure) {
            case NfsException refused when refused.status() == Status.JUKEBOX -> Waits.Reason.BUSY;
            case NfsException refused when refused.status() == Status.GRACE -> Waits.Reason.GRACE;
            default -> Waits.Reason.RECOVERY;
        };
    }

    @Override
    public void close() {
        wait.close();
    }

    private OptionalLong due(IOException failure, long now) {
        return switch (failure) {
            case SessionGone gone -> {
                mayBeDone |= gone.mayBeDone();
                yield recovery.afterLoss(now);
            }
            case ClientGone gone -> {
                mayBeDone |= gone.mayBeDone();
                boolean isAgain = gone.isOfStateId() && wasStateIdGone;
                wasStateIdGone = gone.isOfStateId();
                // It may also be the grace period that keeps the call from being carried out.
                yield !isAgain || planning.hearsOfLoss()
                        ? recovery.inGrace(now)
                        : OptionalLong.empty();
            }
            case NfsException refused when refused.status() == Status.JUKEBOX ->
                    whileBusy.next(now);
            case NfsException refused when refused.status() == Status.GRACE ->
                    recovery.inGrace(now);
            case NfsException refused
                    when refused.status() == Status.NOT_OPEN && planning.hearsOfLoss() ->
                    recovery.afterLoss(now);
            default -> OptionalLong.empty();
        };
    }

    private IOException last(IOException failure) {
        if (mayBeDone && failure instanceof NfsException refused) {
            return new OutcomeUnknownException(what, refused);
        }
        return switch (failure) {
            case SessionGone _ -> new IOException(what + ": the server forgets each session");
            case ClientGone _ -> new IOException(what + ": " + failure.getMessage());
            default -> failure;
        };
    }

    /** The attempts while a server has forgotten something, or waits for its clients. */
    private static final class Recovery {
        /** So many losses are no proof of a server that forgets all the time. */
        private static final int LOSSES = 3;

        private final Supplier<Grace> grace;
        private final long timeoutNanos;
        private final long began;
        private final DeferredRetry pauses;
        private int losses;
        private OptionalLong since = OptionalLong.empty();

        Recovery(Duration timeout, Supplier<Grace> grace, long began) {
            this.grace = grace;
            this.timeoutNanos = TimeUnit.NANOSECONDS.convert(timeout);
            this.began = began;
            this.pauses = new DeferredRetry(Duration.ofNanos(Long.MAX_VALUE), began);
        }

        /**
         * Returns when to make a call again that the server does not carry out in its grace period.
         */
        OptionalLong inGrace(long now) {
            since = since.isPresent() ? since : OptionalLong.of(now);
            long due = next(now);
            return isInTime(due) || grace.get().mayLast(since.getAsLong(), due)
                    ? OptionalLong.of(due)
                    : OptionalLong.empty();
        }

        /** Returns when to make a call again that needs what the server has forgotten. */
        OptionalLong afterLoss(long now) {
            losses++;
            long due = next(now);
            // The call may have waited for the server for longer than it may last.
            return isInTime(due) || losses <= LOSSES ? OptionalLong.of(due) : OptionalLong.empty();
        }

        private long next(long now) {
            return pauses.next(now).orElseThrow();
        }

        private boolean isInTime(long due) {
            return due - began <= timeoutNanos;
        }
    }
}
