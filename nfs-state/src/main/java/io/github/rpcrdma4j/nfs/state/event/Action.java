package io.github.rpcrdma4j.nfs.state.event;

import io.github.rpcrdma4j.nfs.state.range.ByteRange;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.state.range.RangeLock;
import io.github.rpcrdma4j.nfs.state.range.RangeLocks;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import io.github.rpcrdma4j.oncrpc.share.Host;
import io.github.rpcrdma4j.oncrpc.share.HostPlace;

/**
 * What the driver has to do after an event.
 *
 * <p>Tests: {@code RecordsTest}, {@code LeasesTest}.
 */
public sealed interface Action {
    /**
     * A change of the records on stable storage. The driver carries those of one name out in the
     * order of their numbers, and a {@link ForgetEarlier} after all records that were ordered
     * before. A removal that fails is tried again; a record that cannot be written is not. {@link
     * Outcome#after} names the ones that a reply waits for.
     */
    sealed interface Storage extends Action {
        /** Counts all changes since the server started: 1, 2, 3 and so on. */
        long number();
    }

    /**
     * Writes a record, in place of another one of the same owner.
     *
     * @param place that of the client, whose share it uses
     */
    record Persist(long number, ClientRecord client, HostPlace place) implements Storage {}

    /**
     * Removes the record of a client, of this boot and of earlier ones.
     *
     * @param place likewise
     * @param revoked what is written in its place, in one step, because the client keeps other
     *     state; null for nothing. If it cannot be written, nothing is left
     */
    record Forget(long number, ClientName client, HostPlace place, ClientRecord revoked)
            implements Storage {}

    /** Removes all records that were not written in this boot: the grace period is over. */
    record ForgetEarlier(long number) implements Storage {}

    /** Calls a client back. The driver may leave it out; the state repeats what matters. */
    sealed interface Call extends Action {
        long clientId();
    }

    /**
     * A lock that an owner of the client waits for may be free now (CB_NOTIFY_LOCK, RFC 8881,
     * Section 20.11). The client also polls.
     */
    record NotifyLock(long clientId, FileKey file, StateOwner owner) implements Call {}

    /**
     * It is the turn of a host that waits for a lock of NLM. The driver asks for it with {@code
     * HostEvents.retry}, and tells the host when it is granted. If the driver does not, the host
     * gets another turn.
     *
     * @param note that of the call that waits
     * @param place that of the host
     */
    record OfferLock(
            long clientId,
            FileKey file,
            RangeLock<StateOwner> wanted,
            GrantNote note,
            HostPlace place)
            implements Action {}

    /**
     * Nothing is held any more for a host that is being told of it. The reply of this event waits
     * until that call has ended: otherwise the call could come after the host's next LOCK that
     * waits, and the host would take it for an answer to that.
     *
     * @param number what {@code HostEvents.tell} was about
     */
    record AwaitCall(long number) implements Action {}

    /**
     * A change of the locks that the server holds towards local processes, on one descriptor for
     * each file. The driver carries them out outside its lock, because a file system may hang, and
     * those of one file in their order.
     */
    sealed interface KernelLock extends Action {
        FileKey file();
    }

    /**
     * Locks a range in place of what the server holds of it, if no local process is in the way. The
     * driver owes {@code KernelLockEvents.answer} for each, in the same order.
     *
     * @param number names the question: 1, 2, 3 and so on
     */
    record AskLock(long number, FileKey file, LockMode type, ByteRange range)
            implements KernelLock {}

    /**
     * Gives up what the server need not hold of a range any more. It never gets stronger by that,
     * so no local process can be in the way.
     */
    record ReduceLock(FileKey file, RangeLocks.Part left) implements KernelLock {}

    /**
     * There is more to give up of a file than one event may say. The driver owes {@code
     * KernelLockEvents.reduce} when it has carried out the changes before this.
     */
    record ContinueReduction(FileKey file) implements KernelLock {}

    /** The file has no locks any more. */
    record CloseLocks(FileKey file) implements KernelLock {}

    /** News for the operator. Nothing depends on it. */
    sealed interface Notice extends Action {}

    /**
     * The client that news are about.
     *
     * @param host whose share it uses
     * @param place where it was made
     */
    record Subject(long id, OpaqueName name, Host host, String place) {}

    /**
     * The grace period is over.
     *
     * @param missing how many clients could have reclaimed, and have not come back
     */
    record GraceEnded(int missing) implements Notice {}

    /**
     * A client has lost opens and locks.
     *
     * @param held how many opens and lock owners it has lost
     */
    record StateLost(Subject client, Loss cause, int held) implements Notice {}

    /**
     * A client has gone, or may have.
     *
     * @param held how much of opens, lock owners and delegations it has
     */
    record ClientGone(Subject client, Absence why, int held) implements Notice {}

    /** Why a client counts as gone. */
    enum Absence {
        /** It has said so. */
        LEFT,
        /** It has no connection any more. It may come back. */
        DISCONNECTED,
        /**
         * Its lease has expired. What it has is kept for as long as no other client needs it,
         * except its locks.
         */
        EXPIRED
    }

    /** A client has not returned a delegation in time, and has it no more. */
    record DelegationTaken(Subject client, TakenBecause why) implements Notice {}

    /** Why a client has not returned a delegation in time. */
    enum TakenBecause {
        /** It was called. */
        NOT_RETURNED,
        /** The calls of the server do not reach it. */
        OUT_OF_REACH,
        /** It was not called: it left no slot for calls of the server free. */
        NO_SLOT,
        /** It was not called: the server had no room for that, and a local process waited. */
        NOT_CALLED
    }

    /**
     * A place, or the places of a host together, have sent many verifiers with names of clients at
     * other addresses, so they may be guessing them.
     *
     * @param name the last one
     * @param place where it came from
     */
    record VerifiersTried(OpaqueName name, Host host, String place, Triers by) implements Notice {}

    /** Who has tried too many verifiers: none of them is believed that it is a known client. */
    enum Triers {
        /** A place. */
        PLACE,
        /** Those places of a host that have tried any; each alone has not tried too many. */
        HOST
    }

    /**
     * Others have waited for long for delegations of a client, and of others at its place: these
     * get none for some time.
     */
    record LongWaits(Subject client) implements Notice {}

    /** Why a client has lost opens and locks: all of them, unless it says which. */
    enum Loss {
        /**
         * Its lease had expired, and others needed what it had. One of minor version 0 needs only
         * to have had locks.
         */
        EXPIRED,
        /** Its lease has expired, and it has lost its locks, but not its opens. */
        LOCKS_EXPIRED,
        /** An administrator has ended it. */
        ENDED,
        /** It is a host with locks of NLM that has restarted. */
        RESTARTED,
        /** It stood in for a client that has come from its own address. */
        REPLACED;

        /** Returns the loss that has a status: EXPIRED or ADMIN_REVOKED. */
        public static Loss of(Nfs4Status status) {
            return status == Nfs4Status.ADMIN_REVOKED ? ENDED : EXPIRED;
        }
    }

    /**
     * A change of what keeps local processes and other versions of NFS away from a delegated file.
     * The driver carries them out as those of locks.
     */
    sealed interface KernelLease extends Action {
        FileKey file();
    }

    /**
     * Sees to it that local processes use the file only after {@code
     * DelegationEvents.localConflict}, and operations without an open only after {@code
     * DelegationEvents.requireUndelegated}. The driver owes {@code
     * DelegationEvents.answerKernelLease} for each.
     *
     * @param number names the question: 1, 2, 3 and so on
     */
    record AskKernelLease(long number, FileKey file, DelegationKind kind) implements KernelLease {}

    /** The file has no delegations any more. */
    record EndKernelLease(FileKey file) implements KernelLease {}

    /** The client has to return a delegation (CB_RECALL, RFC 8881, Section 20.2). */
    record Recall(long clientId, FileKey file, StateId delegation) implements Call {}

    /**
     * The client has to use fewer slots of a session (CB_RECALL_SLOT, RFC 8881, Section 20.8).
     *
     * @param highestSlot the highest one that it may use
     */
    record RecallSlots(long clientId, SessionId session, int highestSlot) implements Call {}

    /**
     * The client has to return delegations of its choice (CB_RECALL_ANY, RFC 8881, Section 20.6).
     *
     * @param keep how many it may keep
     */
    record RecallAny(long clientId, int keep) implements Call {}

    /**
     * An asynchronous copy has ended (CB_OFFLOAD, RFC 7862, Section 16.1). The driver owes {@code
     * CopyEvents.told}.
     *
     * @param number that of the copy
     * @param file the target
     * @param place the COMPOUND that began it
     */
    record TellCopy(
            long number, long clientId, FileKey file, StateId copy, CallPlace place, CopyEnd end)
            implements Call {}

    /** No open of the file is left. */
    record CloseFile(FileKey file) implements Action {}
}
