package io.github.rpcrdma4j.nfs.client.v4.state;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.service.Written;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments.Offload;
import io.github.rpcrdma4j.nfs.v4.operation.CopyResult;

/**
 * A copy that goes on at a server after the reply to its COPY, as far as the client knows (RFC
 * 7862, Sections 15.2, 15.9 and 16.1). Its end is told by CB_OFFLOAD, which may get lost: so the
 * server is asked, too, after pauses. A copy without progress for too long ends. Times are in
 * nanoseconds. Used by one thread.
 *
 * <p>Tests: {@code OffloadedCopyTest}.
 */
public final class OffloadedCopy {
    private static final long PAUSE_NANOS = 250_000_000;
    private static final long PAUSE_NANOS_MAX = 2_000_000_000;

    private final long asked;
    private final long verifier;
    private final long patience;
    private long done;
    private long progressed;
    private long pause = PAUSE_NANOS;

    /** What is known of a copy. */
    public sealed interface State {
        /**
         * It goes on.
         *
         * @param pauseNanos how long to wait for its end before the server is asked
         */
        record Running(long pauseNanos) implements State {}

        /** It has ended. */
        record Ended(Written written) implements State {}

        /** It has failed, and copied nothing. */
        record Failed(Nfs4Status status) implements State {}

        /** The server does not know it any more. */
        record Forgotten() implements State {}

        /** It goes on, but the server does not tell how far it is. */
        record Untold() implements State {}

        /** It has copied nothing for too long. */
        record Stalled() implements State {}

        /** The server says what cannot be. */
        record Impossible(String why) implements State {}
    }

    /**
     * Begins when the server has answered COPY.
     *
     * @param asked how many bytes are to be copied
     * @param verifier that of the reply, which counts if the server tells no other one
     * @param patienceNanos how long a copy may go on without progress
     * @param now the time
     */
    public OffloadedCopy(long asked, long verifier, long patienceNanos, long now) {
        this.asked = asked;
        this.verifier = verifier;
        this.patience = patienceNanos;
        this.progressed = now;
    }

    /** Returns how many bytes are copied, as far as the server has told. */
    public long done() {
        return done;
    }

    /** Returns what is known before the server is asked for the first time. */
    public State begun() {
        return new State.Running(pause);
    }

    /** Hears CB_OFFLOAD. */
    public State heard(Offload.End end) {
        return switch (end) {
            case Offload.Copied(_, var count, var committed, var told) ->
                    ended(Nfs4Status.OK, count, committed, told);
            case Offload.Failed(var status, var count) ->
                    ended(status, count, Stability.UNSTABLE, verifier);
        };
    }

    /** Hears the answer to OFFLOAD_STATUS, which tells nothing of storage. */
    public State told(CopyResult.OffloadStatus status, long now) {
        if (status.outcome().isPresent()) {
            return ended(status.outcome().get(), status.count(), Stability.UNSTABLE, verifier);
        }
        if (isTooMuch(status.count())) {
            return impossible(status.count());
        }
        if (status.count() > done) {
            done = status.count();
            progressed = now;
        }
        return waiting(now);
    }

    /** Hears that the server does not tell how far the copy is. */
    public State untold(long now) {
        return waiting(now);
    }

    private State waiting(long now) {
        if (now - progressed >= patience) {
            return new State.Stalled();
        }
        pause = Math.min(2 * pause, PAUSE_NANOS_MAX);
        return new State.Running(pause);
    }

    /** What was copied before a failure need not be copied again. */
    private State ended(Nfs4Status status, long count, Stability committed, long told) {
        if (isTooMuch(count)) {
            return impossible(count);
        }
        return status == Nfs4Status.OK || count > 0
                ? new State.Ended(new Written(count, committed, told))
                : new State.Failed(status);
    }

    private boolean isTooMuch(long count) {
        return Long.compareUnsigned(count, asked) > 0;
    }

    private State impossible(long count) {
        return new State.Impossible(
                "the server has copied "
                        + Long.toUnsignedString(count)
                        + " bytes where "
                        + asked
                        + " were asked for");
    }
}
