package io.github.rpcrdma4j.nfs.state.event;

import io.github.rpcrdma4j.nfs.v4.type.StateId;

/** What becomes of a wish for a delegation. */
public sealed interface DelegationOutcome {
    /**
     * No client is in the way. The kernel is asked about local processes.
     *
     * @param number that of the {@link Action.AskKernelLease}
     */
    record Asked(long number) implements DelegationOutcome {}

    /**
     * The client has it.
     *
     * @param isRecalled whether the server recalls it already: a reclaimed one that cannot last
     */
    record Granted(StateId stateId, DelegationKind kind, boolean isRecalled)
            implements DelegationOutcome {}

    /**
     * The client has not answered a call of the server yet: the driver makes one, and asks again.
     */
    record Unproven() implements DelegationOutcome {}

    /** There is none. */
    record Refused(Why why) implements DelegationOutcome {}

    /** Why there is no delegation: {@code why_no_delegation4}. */
    enum Why {
        /** Other clients or local processes use the file, or did so a short time ago. */
        CONTENTION,
        /** The server has no room, or cannot call the client. */
        RESOURCE,
        /** The client has one for reading, and wants one for writing. */
        NO_UPGRADE
    }
}
