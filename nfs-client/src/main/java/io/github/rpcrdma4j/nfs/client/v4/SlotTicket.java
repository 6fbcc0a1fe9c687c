package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;

/**
 * The right to make one call of a session.
 *
 * @param live the session
 * @param sequence of its slot
 * @param plan of the call
 * @param repetitions how often calls in progress had been sent again
 * @param taken when, by the clock of the threads
 */
record SlotTicket(
        SessionSlots.Live live,
        int slot,
        SessionArguments.Sequence sequence,
        Plan plan,
        int repetitions,
        long taken) {}
