package io.github.rpcrdma4j.nfs.server.state;

import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;

/** What the driver has to do after an event. */
public sealed interface Action {
    /**
     * A change of the records on stable storage. The driver carries all of them out in the order of
     * their numbers. A removal that fails is tried again; a record that cannot be written is not.
     * {@link Outcome#after} names the ones that a reply waits for.
     */
    sealed interface Storage extends Action {
        /** Counts all changes since the server started: 1, 2, 3 and so on. */
        long number();
    }

    /** Writes a record, in place of another one of the same owner. */
    record Persist(long number, ClientRecord client) implements Storage {}

    /** Removes the record of an owner, of this boot and of earlier ones. */
    record Forget(long number, OpaqueName owner) implements Storage {}

    /** Removes all records that were not written in this boot: the grace period is over. */
    record ForgetEarlier(long number) implements Storage {}

    /**
     * Calls a client back: a lock that an owner of it waits for may be free now (CB_NOTIFY_LOCK,
     * RFC 8881, Section 20.11). The driver may leave it out; the client also polls.
     */
    record NotifyLock(long clientId, FileKey file, StateOwner owner) implements Action {}

    /** No open of the file is left. */
    record CloseFile(FileKey file) implements Action {}
}
