package io.github.rpcrdma4j.nfs.state.event;

import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.StateId;

/** What an operation of minor version 0 says about the sequence of its owner. */
public sealed interface OwnerCall {
    /**
     * OPEN.
     *
     * @param isConfirmed whether a new owner need not send OPEN_CONFIRM: a claim of what the client
     *     has had before (RFC 7530, Section 9.1.11)
     */
    record Opening(OpaqueName owner, int sequence, boolean isConfirmed) implements OwnerCall {}

    /** OPEN_CONFIRM, OPEN_DOWNGRADE, CLOSE, LOCKU, and LOCK of an owner with a stateid. */
    record Holding(StateId id, int sequence) implements OwnerCall {}

    /** LOCK of an owner without a stateid: it has the sequences of two owners. */
    record NewLock(StateId open, int openSequence, OpaqueName owner, int lockSequence)
            implements OwnerCall {}
}
