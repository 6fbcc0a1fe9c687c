package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.client.v4.plan.Answer;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.client.v4.v40.OwnerNumbers;
import io.github.rpcrdma4j.nfs.v4.operation.LeaseArguments;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

/**
 * An open-owner of version 4.0, and the lock-owner of its name: their operations are made one at a
 * time, in the order of their numbers (RFC 7530, Section 9.1.7). What ended here without an answer
 * is sent again as it was, before anything else: the server carries it out once. An owner has one
 * file open at most, so that no open ends with another. Thread-safe.
 *
 * <p>Tests: {@code LeaseTest}, {@code OwnerNumbersTest}.
 */
final class OpenOwner {
    private final Nfs4Lease lease;
    private final OpaqueName name;

    /** Held during one call, and never while the client waits for its recovery. */
    private final ReentrantLock turn = new ReentrantLock();

    /** Guarded by the turn, like the field below. */
    private OwnerNumbers numbers;

    /** What nobody knows the outcome of; null if there is no such thing. */
    private Unanswered<?> unanswered;

    /** A call of a plan, with its numbers. */
    private record Unanswered<T>(Plan plan, CompoundCalls.Decoding<T> decoding) {}

    /**
     * @param name of no other owner of the client
     */
    OpenOwner(Nfs4Lease lease, OpaqueName name) {
        this.lease = lease;
        this.name = name;
        this.numbers = fresh();
    }

    private OwnerNumbers fresh() {
        return new OwnerNumbers(new StateOwner(lease.clientId(), name));
    }

    /** Returns the name, as arguments have it before they get their client and their numbers. */
    StateOwner name() {
        return new StateOwner(0, name);
    }

    /** Returns whether the owner is of no further use: the server counts in another way. */
    boolean isGone() {
        turn.lock();
        try {
            return numbers.isGone() && numbers.clientId() == lease.clientId();
        } finally {
            turn.unlock();
        }
    }

    /**
     * Makes one attempt of a call.
     *
     * @throws NfsException {@link Status#NOT_OPEN} also if the owner is gone
     */
    <T> T once(Plan plan, String what, CompoundCalls.Decoding<T> decoding)
            throws IOException, InterruptedException {
        return once(plan, what, lease.timeout(), decoding);
    }

    /** Makes one attempt of a call, which may take so long. */
    <T> T once(Plan plan, String what, Duration atMost, CompoundCalls.Decoding<T> decoding)
            throws IOException, InterruptedException {
        turn.lockInterruptibly();
        try {
            finishUnanswered(what, atMost);
            if (numbers.isGone()) {
                throw new NfsException(what, Status.NOT_OPEN);
            }
            return send(new Unanswered<>(numbers.numbered(plan), decoding), what, atMost);
        } finally {
            turn.unlock();
        }
    }

    /**
     * Finds out what became of the last call, if nobody knows it.
     *
     * @return whether the owner may be used for another file
     */
    boolean isFinished(String what) throws IOException, InterruptedException {
        turn.lockInterruptibly();
        try {
            finishUnanswered(what, lease.timeout());
            return !numbers.isGone();
        } finally {
            turn.unlock();
        }
    }

    private void finishUnanswered(String what, Duration atMost)
            throws IOException, InterruptedException {
        if (numbers.clientId() != lease.clientId()) {
            // The server has forgotten the owner, and all that it has done.
            numbers = fresh();
            unanswered = null;
        }
        if (unanswered == null || numbers.isGone()) {
            return;
        }
        try {
            send(unanswered, what, atMost);
        } catch (NfsException _) {
            // It was refused, so it has done nothing.
        }
    }

    private <T> T send(Unanswered<T> call, String what, Duration atMost)
            throws IOException, InterruptedException {
        unanswered = call;
        numbers.begin(call.plan);
        var hearing = new AnswerOnce(call.plan);
        try {
            return lease.once(call.plan, what, atMost, hearing, call.decoding);
        } finally {
            if (!hearing.isHeard) {
                numbers.endUnheard(call.plan);
            }
        }
    }

    /** Hears an answer for the numbers. */
    private final class AnswerOnce implements Nfs4Lease.Hearing {
        private final Plan plan;
        private boolean isHeard;

        AnswerOnce(Plan plan) {
            this.plan = plan;
        }

        @Override
        public void heard(Answer answer) {
            isHeard = true;
            numbers.end(plan, answer);
            if (!numbers.isInDoubt()) {
                unanswered = null;
            }
        }
    }

    /** Lets the server forget the lock-owner, which has no locks any more. */
    void release() throws IOException, InterruptedException {
        turn.lockInterruptibly();
        try {
            var plan = Plan.EMPTY.session(new LeaseArguments.ReleaseLockOwner(name()), 0);
            lease.once(
                    numbers.numbered(plan),
                    "cannot release a lock owner",
                    lease.timeout(),
                    _ -> {},
                    results -> results.done(1));
            numbers.released();
        } finally {
            turn.unlock();
        }
    }
}
