package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.v4.plan.Answer;
import io.github.rpcrdma4j.nfs.client.v4.session.Slot.Outcome;
import java.io.IOException;

/** A call of a plan on its way to the server, once or more often. Used by one thread at a time. */
interface Sending {
    /** Returns the call. */
    Compounds.Call call();

    /** Returns what an answer says of the call. */
    Outcome outcome(Answer answer);

    /**
     * Returns the results of a call that succeeded as a call, although an operation may have
     * failed.
     */
    Results results(Answer answer, String what);

    /** Returns the failure of a call that did not. */
    IOException refusal(Answer answer, Outcome outcome, String what);

    /** Ends it. Ending it twice is harmless. */
    void settle(Outcome outcome);
}
