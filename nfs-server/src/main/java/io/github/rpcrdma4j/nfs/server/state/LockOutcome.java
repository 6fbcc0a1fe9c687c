package io.github.rpcrdma4j.nfs.server.state;

import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;

/** The results of LOCK and of LOCKT. */
public sealed interface LockOutcome {
    /** LOCK has locked the range: NFS4_OK. */
    record Granted(StateId stateId) implements LockOutcome {}

    /** LOCKT has found the range free: NFS4_OK. */
    record Free() implements LockOutcome {}

    /**
     * Another owner is in the way: DENIED.
     *
     * @param conflict one of its locks. The owner of a lock of a local process has client ID 0.
     */
    record Denied(RangeLock<StateOwner> conflict) implements LockOutcome {}
}
