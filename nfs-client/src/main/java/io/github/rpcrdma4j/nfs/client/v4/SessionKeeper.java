package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.service.Waits;
import io.github.rpcrdma4j.nfs.client.v4.plan.Answer;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.client.v4.session.Slot.Outcome;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * Keeps a session: renews its lease while nothing else does, finds out what became of calls that
 * ended here without an outcome, by SEQUENCE alone in their slots, and makes the session anew when
 * the server has forgotten it. It is the work of one thread, which ends when the session is closed.
 *
 * <p>Tests: {@code Nfs4SessionTest}, {@code LostStateTest}.
 */
final class SessionKeeper {
    /** What it has to do. */
    sealed interface Work {
        /** It asks about a slot in doubt, or renews the lease, by SEQUENCE alone. */
        record Sequence(SlotTicket ticket) implements Work {}

        /** It makes a session. */
        record Recovery() implements Work {}

        /** It checks which state the server still has. */
        record Check() implements Work {}

        /** It closes what nobody uses. */
        record Tidying() implements Work {}
    }

    /** The first pause after a failure; each further one is twice as long. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final long PAUSE_NANOS_MAX = TimeUnit.SECONDS.toNanos(3);

    /** The pause between two attempts to close what nobody uses. */
    private static final long TIDYING_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** So many attempts to make a session end without it before calls fail. */
    private static final int ATTEMPTS = 8;

    private final Nfs4Session session;
    private final SessionRecovery recovery;
    private final Waits.Begun wait;
    private int attempts;

    SessionKeeper(Nfs4Session session, SessionRecovery recovery) {
        this.session = session;
        this.recovery = recovery;
        this.wait = session.waits().ofCall();
    }

    void run() {
        try {
            long pause = PAUSE_NANOS;
            var next = session.slots().awaitWork();
            while (next.isPresent()) {
                boolean isDone =
                        switch (next.get()) {
                            case Work.Sequence(var ticket) -> {
                                sequence(ticket);
                                // The slots have pauses of their own.
                                yield true;
                            }
                            case Work.Recovery() -> recover();
                            case Work.Check() -> check();
                            case Work.Tidying() -> tidy();
                        };
                if (isDone) {
                    pause = PAUSE_NANOS;
                } else {
                    session.threads().sleep(pause);
                    pause = Math.min(2 * pause, PAUSE_NANOS_MAX);
                }
                next = session.slots().awaitWork();
            }
        } catch (InterruptedException _) {
            // The session was closed.
        } finally {
            wait.close();
        }
    }

    private void sequence(SlotTicket ticket) throws InterruptedException {
        var outcome = Outcome.UNKNOWN;
        boolean isForgotten = false;
        RpcException failure = null;
        var call = session.call(Plan.EMPTY, ticket);
        try (var reply = session.client().call(call.rpc(), session.timeout())) {
            var answer = Answer.decode(reply.results(), call.operations());
            outcome = session.outcome(answer, ticket);
            isForgotten = isForgotten(answer.status());
        } catch (RpcException silence) {
            // The next caller reports what is wrong, if there is one.
            failure = silence;
        } finally {
            session.slots().settleProbe(ticket, outcome, failure);
        }
        if (isForgotten) {
            session.slots().lose(ticket.live());
        }
    }

    private boolean recover() throws InterruptedException {
        wait.on(Waits.Reason.RECOVERY);
        try {
            recovery.run();
            attempts = 0;
            session.slots().recovered();
            wait.close();
            return true;
        } catch (IOException failure) {
            attempts++;
            if (!SessionRecovery.isForNow(failure) || attempts % ATTEMPTS == 0) {
                session.slots().unrecovered(failure);
            }
            return false;
        }
    }

    private boolean check() throws InterruptedException {
        try {
            recovery.check();
            return true;
        } catch (IOException _) {
            // The flags stay, and ask for another check.
            return false;
        }
    }

    /** What cannot be closed now is tried again later. That is no failure of the session. */
    private boolean tidy() throws InterruptedException {
        boolean isTidy = false;
        try {
            isTidy = recovery.isTidy();
        } catch (IOException _) {
            // The server may be gone.
        }
        if (!isTidy) {
            session.slots().tidyUp(TIDYING_NANOS);
        }
        return true;
    }

    private static boolean isForgotten(Nfs4Status status) {
        return status == Nfs4Status.BADSESSION || status == Nfs4Status.DEADSESSION;
    }
}
