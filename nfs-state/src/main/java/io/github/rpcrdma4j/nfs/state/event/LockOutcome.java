package io.github.rpcrdma4j.nfs.state.event;

import io.github.rpcrdma4j.nfs.state.range.RangeLock;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;

/** The results of LOCK and of LOCKT. */
public sealed interface LockOutcome {
    /** LOCK has locked the range: NFS4_OK. */
    record Granted(StateId stateId) implements LockOutcome {}

    /**
     * LOCK has met no lock of a client; {@code KernelLockEvents.answer} has the results. The status
     * of this outcome is NFS4_OK.
     *
     * @param number that of the {@link Action.AskLock}
     */
    record Asked(long number) implements LockOutcome {}

    /**
     * Another owner is in the way, and the host that asked by NLM waits: DENIED. An {@link
     * Action.OfferLock} follows.
     */
    record Awaited() implements LockOutcome {}

    /**
     * The kernel has granted what a host has waited for: NFS4_OK. No other owner gets it while the
     * host is told, and {@code HostEvents.told} ends that.
     */
    record Held() implements LockOutcome {}

    /** LOCKT has found no lock of a client: NFS4_OK. Local processes are not looked at. */
    record Free() implements LockOutcome {}

    /**
     * Another owner is in the way: DENIED.
     *
     * @param conflict one of its locks. The owner of a lock of a local process has client ID 0.
     */
    record Denied(RangeLock<StateOwner> conflict) implements LockOutcome {}
}
