package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.DelegateCall;
import io.github.rpcrdma4j.nfs.state.event.DelegatedTimes;
import io.github.rpcrdma4j.nfs.state.event.DelegatedWriter;
import io.github.rpcrdma4j.nfs.state.event.DelegationOutcome;
import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.util.Optional;
import java.util.function.LongConsumer;

/**
 * The events of {@link ServerState} that are about delegations. Its rules hold for them.
 *
 * <p>Tests: {@code DelegationsTest}.
 */
public final class DelegationEvents {
    private final LongConsumer begin;
    private final Delegations delegations;
    private final Recalls recalls;
    private final Recovery recovery;
    private final Files files;
    private final Journal journal;

    /**
     * @param begin lets time pass before an event
     */
    DelegationEvents(
            LongConsumer begin,
            Delegations delegations,
            Recalls recalls,
            Recovery recovery,
            Files files,
            Journal journal) {
        this.begin = begin;
        this.delegations = delegations;
        this.recalls = recalls;
        this.recovery = recovery;
        this.files = files;
        this.journal = journal;
    }

    /**
     * Asks for a delegation for a client that has just opened a file. Always NFS4_OK; the results
     * say what comes of it.
     */
    public Outcome<DelegationOutcome> delegate(ClientUse use, DelegateCall call, long now) {
        begin.accept(now);
        return delegations.delegate(use, call, now);
    }

    /**
     * The kernel has answered an {@link Action.AskKernelLease}.
     *
     * @param isGranted whether local processes use the file only after {@link #localConflict}
     * @return NFS4_OK with {@link DelegationOutcome.Granted} or {@link DelegationOutcome.Refused}
     * @throws IllegalStateException if there is no such question, or if it was answered before
     */
    public Outcome<DelegationOutcome> answerKernelLease(long number, boolean isGranted, long now) {
        begin.accept(now);
        return delegations.answer(number, isGranted, now);
    }

    /**
     * The caller of OPEN has gone, or waits no longer. A delegation that the kernel grants after
     * all is taken back.
     *
     * @return whether there was no answer yet
     */
    public Outcome<Boolean> abandon(long number, long now) {
        begin.accept(now);
        return delegations.abandon(number);
    }

    /** The client does not learn that it was granted a delegation. Always NFS4_OK. */
    public Outcome<Void> takeBack(ClientUse use, FileKey file, StateId granted, long now) {
        begin.accept(now);
        return delegations.takeBack(use, file, granted);
    }

    /** DELEGRETURN: NFS4_OK, or an error of the stateid. */
    public Outcome<Void> giveBack(ClientUse use, FileKey file, StateId id, long now) {
        begin.accept(now);
        return delegations.giveBack(use, file, id);
    }

    /** Checks the stateid of CLAIM_DELEGATE_CUR: NFS4_OK, or an error of the stateid. */
    public Outcome<Void> requireHeld(ClientUse use, FileKey file, StateId id, long now) {
        begin.accept(now);
        return delegations.requireHeld(use, file, id);
    }

    /**
     * SETATTR of times that a client has kept: NFS4_OK with the times of the file at the grant,
     * BAD_STATEID if this delegation does not include them, or an error of the stateid.
     *
     * @param modifies whether it sets the time of the last change; only a writer may
     */
    public Outcome<DelegatedTimes> times(
            ClientUse use, FileKey file, StateId id, boolean modifies, long now) {
        begin.accept(now);
        return delegations.times(use, file, id, modifies);
    }

    /**
     * An operation without a stateid uses a file: NFS4_OK, or DELAY while delegations that it
     * conflicts with come back. In the grace period any client may have yet to reclaim a delegation
     * of the file (RFC 8881, Section 10.2.1): then DELAY, unless the client of the operation has
     * reclaimed what no such delegation can be beside: an open or a delegation for writing, or, if
     * it changes nothing, any.
     *
     * @param use the COMPOUND; null for another version of NFS
     * @param changes whether it changes the file, its attributes or its name
     */
    public Outcome<Void> requireUndelegated(
            ClientUse use, FileKey file, boolean changes, long now) {
        begin.accept(now);
        var own = use == null ? null : use.client();
        return isAwaited(file, own, changes) || recalls.recallOthers(file, own, changes, now)
                ? journal.refused(Nfs4Status.DELAY)
                : journal.ok(null);
    }

    /** Returns whether a file may be delegated to a client that has yet to reclaim it. */
    private boolean isAwaited(FileKey key, Client own, boolean changes) {
        if (!recovery.isGrace()) {
            return false;
        }
        var file = files.find(key);
        return file == null || !(changes ? file.isWrittenBy(own) : file.isUsedBy(own));
    }

    /**
     * A local process waits for a file with delegations, or has changed its attributes. Always
     * NFS4_OK.
     */
    public Outcome<Void> localConflict(FileKey file, long now) {
        begin.accept(now);
        return delegations.localConflict(file, now);
    }

    /**
     * Too many other calls are in progress for an {@link Action.Recall}, so it waits. The time of a
     * client that was not called before does not run, unless a local process waits for the file.
     * The driver owes {@link #begun}.
     */
    public void waits(Action.Recall call) {
        recalls.waits(call.clientId(), call.file());
    }

    /** The driver begins an {@link Action.Recall} now. It owes what comes of it. */
    public void begun(Action.Recall call, long now) {
        recalls.begun(call.clientId(), call.file(), now);
    }

    /** Returns whether a client still has a delegation that an {@link Action.Recall} is about. */
    public boolean isNeeded(Action.Recall call) {
        return recalls.isAny(call.clientId(), call.file());
    }

    /**
     * The driver has not sent an {@link Action.Recall}, because it has no memory for that. A later
     * one repeats it. The time of a client that was not called before begins with that, unless a
     * local process waits for the file.
     */
    public void notSent(Action.Recall call) {
        recalls.missed(call.clientId(), call.file(), Delegation.Missed.NO_ROOM);
    }

    /**
     * The driver has not sent an {@link Action.Recall}, because no slot of the client was free.
     * Likewise, except that others wait because of the client, and for the time of two recalls at
     * most.
     */
    public void noSlot(Action.Recall call) {
        recalls.missed(call.clientId(), call.file(), Delegation.Missed.NO_SLOT);
    }

    /**
     * A client could not be reached for an {@link Action.Recall}, or has not accepted it. A later
     * one repeats it, as soon as the client can be called. Its time goes on.
     */
    public void notTaken(Action.Recall call) {
        recalls.missed(call.clientId(), call.file(), Delegation.Missed.NOT_TAKEN);
    }

    /** A client has accepted an {@link Action.Recall}. */
    public void taken(Action.Recall call) {
        recalls.taken(call.clientId(), call.file());
    }

    /**
     * Returns who has a delegation for writing: it may know more about the file than the server.
     *
     * @param use the COMPOUND that asks: its own client does not count
     */
    public Optional<DelegatedWriter> writer(ClientUse use, FileKey file, long now) {
        return delegations.writer(file, use.client(), now);
    }

    /**
     * The client that has a file delegated for writing was asked for its attributes (CB_GETATTR).
     *
     * @param use the COMPOUND that wants to know
     */
    public void asked(ClientUse use, FileKey file) {
        recalls.asked(file, use.where());
    }

    /**
     * The client that has a file delegated for writing could not be asked for its attributes,
     * because too many other calls are in progress, or no slot of the client was free. If that goes
     * on for 10 seconds the delegation is recalled: by keeping its slots in use a client could
     * otherwise keep the attributes to itself for ever. Always NFS4_OK.
     *
     * @param use the COMPOUND that wants to know
     */
    public Outcome<Void> unasked(ClientUse use, FileKey file, long now) {
        begin.accept(now);
        return recalls.unasked(file, use, now);
    }
}
