package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.file.DeferredRetry;
import io.github.rpcrdma4j.nfs.client.service.Waits;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.client.v4.session.SessionRefused;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.nfs.v4.operation.SessionResult;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Makes the session of a client, and a new one when the server has forgotten it, with the state
 * that the client had (RFC 8881, Section 8.4.2). No other call of the client is made meanwhile.
 * Used by one thread at a time.
 *
 * <p>Tests: {@code Nfs4SessionTest}, {@code LostStateTest}.
 */
final class SessionRecovery implements RecoveryCalls {
    private static final int REVOKED =
            SessionResult.Sequence.EXPIRED_ALL_STATE_REVOKED
                    | SessionResult.Sequence.EXPIRED_SOME_STATE_REVOKED
                    | SessionResult.Sequence.ADMIN_STATE_REVOKED
                    | SessionResult.Sequence.RECALLABLE_STATE_REVOKED;

    /** Flags that say that the server cannot call back. */
    static final int PATH_DOWN =
            SessionResult.Sequence.CB_PATH_DOWN | SessionResult.Sequence.CB_PATH_DOWN_SESSION;

    private static final int RESTARTED = SessionResult.Sequence.RESTART_RECLAIM_NEEDED;

    private final Nfs4Session session;
    private final ServerSessions sessions;
    private final HeldState held;

    /** As the server knows this client; null before it was introduced. */
    private ServerSessions.KnownClient known;

    /** Whether the server knows that all claims were made. */
    private boolean isComplete;

    /** Whether claims in the present session have failed: the server may still work on one. */
    private boolean isUnfinished;

    SessionRecovery(Nfs4Session session, ServerSessions sessions, HeldState held) {
        this.session = session;
        this.sessions = sessions;
        this.held = held;
    }

    /** Returns whether flags of a SEQUENCE ask for {@link #check}. */
    static boolean asksForCheck(int flags) {
        return (flags & (REVOKED | RESTARTED | PATH_DOWN)) != 0;
    }

    /**
     * Makes the first session. A server that is busy, or has just restarted, is asked again while a
     * call may last.
     *
     * @throws IOException if the server refuses, or none was made in that time
     */
    void begin() throws IOException, InterruptedException {
        var threads = session.threads();
        var retry = new DeferredRetry(session.timeout(), threads.nanoTime());
        try (var wait = session.waits().ofCall()) {
            begin(retry, wait);
        }
    }

    private void begin(DeferredRetry retry, Waits.Begun wait)
            throws IOException, InterruptedException {
        var threads = session.threads();
        while (true) {
            try {
                run();
                return;
            } catch (IOException failure) {
                var due = isForNow(failure) ? retry.next(threads.nanoTime()) : OptionalLong.empty();
                if (due.isEmpty()) {
                    throw failure;
                }
                wait.on(Waits.Reason.BUSY);
                session.sleepUntil(due.getAsLong());
            }
        }
    }

    /** A server that is busy, or restarts once more, is ready at a later attempt. */
    static boolean isForNow(IOException failure) {
        return switch (failure) {
            case SessionGone _ -> true;
            case SessionRefused refused ->
                    refused.status() == Nfs4Status.DELAY
                            || refused.status() == Nfs4Status.STALE_CLIENTID;
            default -> false;
        };
    }

    /**
     * Makes a session for the client that the server knows, or introduces it.
     *
     * @throws IOException if that failed: it may be tried again
     */
    void run() throws IOException, InterruptedException {
        var slots = session.slots();
        var useless = isUnfinished ? Optional.of(slots.live().made()) : slots.useless();
        if (useless.isPresent()) {
            sessions.abandon(session.client(), useless.get());
            isUnfinished = false;
        }
        if (known == null || !isMade()) {
            introduce();
        }
        if (!isComplete) {
            complete();
        }
    }

    /** Makes a session. Returns false if the server has forgotten the client, too. */
    private boolean isMade() throws IOException, InterruptedException {
        try {
            make();
            return true;
        } catch (SessionRefused refused) {
            if (refused.status() == Nfs4Status.DELAY) {
                throw refused;
            }
            return false;
        }
    }

    private void make() throws IOException, InterruptedException {
        known = session.make(known);
    }

    private void introduce() throws IOException, InterruptedException {
        var before = known;
        known = sessions.introduce(session.client(), before == null);
        if (before == null) {
            isComplete = false;
            session.slots().introduced();
        } else if (before.id() != known.id()) {
            isComplete = false;
            session.slots().introduced();
            held.forgotten(before.scope().equals(known.scope()));
        }
        make();
    }

    private void complete() throws IOException, InterruptedException {
        isUnfinished = true;
        held.claim(this);
        completeClaims();
        isUnfinished = false;
        isComplete = true;
    }

    /**
     * Tells the server that all claims were made: without it a server answers GRACE for ever (RFC
     * 8881, Section 18.51.3). The same call asks for the lease.
     */
    private void completeClaims() throws IOException, InterruptedException {
        var plan = LeaseTime.PLAN.session(new SessionArguments.ReclaimComplete(false), 0);
        session.slots().lease(run(plan, "cannot begin a session", SessionRecovery::lease));
    }

    private static Duration lease(Results results) throws IOException {
        var lease = LeaseTime.told(results);
        if (results.status() != Nfs4Status.COMPLETE_ALREADY) {
            results.done(1);
        }
        return lease;
    }

    /**
     * Asks which state the server has revoked, or claims what it forgot, and gives it a path for
     * callbacks.
     */
    void check() throws IOException, InterruptedException {
        // Replies overtake each other, so only the flags of now count.
        int flags = run(Plan.EMPTY, "cannot ask for revoked state", Results::flags);
        if ((flags & PATH_DOWN) != 0) {
            session.bindAgain();
        }
        if ((flags & RESTARTED) != 0) {
            session.slots().introduced();
            held.forgotten(true);
            held.claim(this);
            completeClaims();
        } else if ((flags & REVOKED) != 0) {
            held.check(this);
        }
    }

    /** Returns whether the server may still work on a call that nobody waits for. */
    boolean isInDoubt() {
        return session.slots().isInDoubt();
    }

    /** Closes what nobody uses. Returns whether nothing is left. */
    boolean isTidy() throws IOException, InterruptedException {
        return held.isTidy(this);
    }

    @Override
    public CompoundCalls calls() {
        return session;
    }

    /**
     * {@inheritDoc}
     *
     * @throws SessionGone if the session was lost
     */
    @Override
    public <T> T once(Plan plan, String what, CompoundCalls.Decoding<T> decoding)
            throws IOException, InterruptedException {
        return session.once(
                plan, what, session.timeout(), session.slots()::takeForKeeper, decoding);
    }
}
