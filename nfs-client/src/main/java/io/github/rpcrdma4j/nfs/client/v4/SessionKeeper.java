package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.v4.plan.Answer;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.client.v4.session.Slot.Outcome;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * Renews the lease of a session while nothing else does, and finds out what became of calls that
 * ended here without an outcome: by SEQUENCE alone in their slots. It is the work of one thread.
 *
 * @param session ends the work when it is closed
 */
record SessionKeeper(Nfs4Session session) {
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    void run() {
        try {
            var next = session.slots().awaitWork();
            while (next.isPresent()) {
                if (work(next.get()) != Outcome.SUCCEEDED) {
                    TimeUnit.NANOSECONDS.sleep(PAUSE_NANOS);
                }
                next = session.slots().awaitWork();
            }
        } catch (InterruptedException _) {
            // The session was closed.
        }
    }

    private Outcome work(SessionSlots.Ticket ticket) throws InterruptedException {
        var outcome = Outcome.UNKNOWN;
        boolean isLost = false;
        var call = session.call(Plan.EMPTY, ticket);
        try (var reply = session.client().call(call.rpc(), session.timeout())) {
            var answer = Answer.decode(reply.results(), call.operations());
            outcome = session.outcome(answer, ticket);
            isLost = isForgotten(answer.status());
        } catch (IOException _) {
            // The next caller reports what is wrong, if there is one.
        } finally {
            isLost |= session.slots().settleProbe(ticket, outcome);
        }
        if (isLost) {
            try {
                session.renew(ticket.live());
            } catch (IOException _) {
                // So does this.
            }
        }
        return outcome;
    }

    private static boolean isForgotten(Nfs4Status status) {
        return status == Nfs4Status.BADSESSION || status == Nfs4Status.DEADSESSION;
    }
}
