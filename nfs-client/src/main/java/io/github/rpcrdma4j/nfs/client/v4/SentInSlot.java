package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.v4.plan.Answer;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.client.v4.session.Slot.Outcome;
import java.io.IOException;

/** A call that has a slot of a session, which it gives back at its end. */
record SentInSlot(Nfs4Session session, Plan plan, SlotTicket ticket, Compounds.Call call)
        implements Sending {
    /** The results begin behind that of SEQUENCE. */
    static Results resultsInSession(Answer answer, String what) {
        return new Results(answer, 1, what);
    }

    @Override
    public Outcome outcome(Answer answer) {
        return session.outcome(answer, ticket);
    }

    @Override
    public Results results(Answer answer, String what) {
        return resultsInSession(answer, what);
    }

    @Override
    public IOException refusal(Answer answer, Outcome outcome, String what) {
        return session.refusal(answer, outcome, ticket, plan, what);
    }

    @Override
    public void settle(Outcome outcome) {
        session.settle(ticket, outcome);
    }
}
