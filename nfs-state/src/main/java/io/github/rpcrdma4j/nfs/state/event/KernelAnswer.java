package io.github.rpcrdma4j.nfs.state.event;

import io.github.rpcrdma4j.nfs.state.range.RangeLock;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;

/**
 * What the kernel has answered to {@link Action.AskLock}: whether a process of the server's machine
 * has a conflicting lock.
 */
public sealed interface KernelAnswer {
    /** The server holds the lock towards local processes, or the file has no such locks. */
    record Locked() implements KernelAnswer {}

    /**
     * A lock of a local process is in the way, and nothing has changed.
     *
     * @param lock that lock; its owner has client ID 0
     */
    record Conflict(RangeLock<StateOwner> lock) implements KernelAnswer {}

    /**
     * The kernel could not be asked, and nothing has changed.
     *
     * @param status what LOCK gets: any error that RFC 8881, Section 15.2 allows
     */
    record Failed(Nfs4Status status) implements KernelAnswer {}
}
