package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.DelegateCall;
import io.github.rpcrdma4j.nfs.state.event.DelegatedTimes;
import io.github.rpcrdma4j.nfs.state.event.DelegationKind;
import io.github.rpcrdma4j.nfs.state.event.StateIdUse;
import io.github.rpcrdma4j.nfs.state.table.VainQuestions;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import java.util.Optional;

/**
 * A file that a client may use without asking (RFC 8881, Section 10.4).
 *
 * <pre>
 *   held --another needs the file--> recalled --time--> revoked --FREE_STATEID--> (unknown)
 *     \----------- DELEGRETURN ---------/----------------------------^
 * </pre>
 */
final class Delegation extends State {
    private static final long CALL_AGAIN_NANOS = 2_000_000_000L;
    private static final OpaqueName NO_OWNER = OpaqueName.of(new byte[0]);

    final DelegationKind kind;

    /** The change attribute of the file when the client got the delegation. */
    final long change;

    /** Likewise its times, if the client keeps them. */
    final Optional<DelegatedTimes> times;

    /** How long the client may take to return it, in nanoseconds; 0 if it is not recalled. */
    private long limit;

    /** When a call to the client was begun first; before that, when it was recalled. */
    private long began;

    /** When it was recalled: the client has had time since then. */
    private long recalled;

    /** When a call was ordered last. */
    private long ordered;

    /** When a call to the client was begun last; before that, when it was recalled. */
    private long called;

    /** Whether the last call has no permit, and waits for one. */
    private boolean isWaiting;

    /** What has come of the last call; null if it was made, as far as is known. */
    private Missed missed;

    /**
     * Whether others wait for the file, and since when. What the server could not do is not
     * counted.
     */
    private boolean isWaitedFor;

    private long waitedSince;

    /** Whether a local process waits for the file. */
    private boolean isForLocal;

    /** Whether a call was not sent. */
    private boolean wasNotSent;

    /** Whether a call was not sent because no slot of the client was free. */
    private boolean hadNoSlot;

    /** Whether a call was sent. */
    private boolean wasSent;

    /** Who has asked for the attributes of the file while the client could not be asked. */
    final VainQuestions vainQuestions = new VainQuestions();

    /** Why a client may know nothing of a recall. */
    enum Missed {
        /** The server had no room for the call. */
        NO_ROOM,
        /** No slot of the client was free: it has to answer other calls first. */
        NO_SLOT,
        /** The client could not be reached, or did not accept the call. */
        NOT_TAKEN
    }

    Delegation(Open open, int number, DelegationKind kind, DelegateCall call) {
        super(open.client, open.file, number, NO_OWNER);
        this.kind = kind;
        this.change = call.change();
        this.times = call.times();
    }

    /** Returns whether the client still has it. */
    boolean isHeld() {
        return file.delegations.get(client) == this;
    }

    boolean isRecalled() {
        return limit > 0;
    }

    /**
     * Notes a recall. A further one can only shorten the time that is left, if the client was
     * called before.
     *
     * @return whether the client has to be called, for the first time or again: a call may have
     *     been lost, or come before the reply that granted the delegation
     */
    boolean recall(long limitNanos, long now) {
        boolean isFirst = limit == 0;
        if (isFirst) {
            file.recalledDelegations++;
            began = now;
            recalled = now;
            called = now;
            limit = limitNanos;
        } else if (beginsAnew(now)) {
            recalled = now;
            waitedSince = missed == Missed.NO_ROOM ? now : waitedSince;
        }
        limit = Math.min(limit, now - recalled + limitNanos);
        boolean isDue = isFirst || mayCallAgain(now);
        if (isDue) {
            ordered = now;
            missed = null;
        }
        return isDue;
    }

    /** Notes that the last call has no permit, and waits for one. The client is not called yet. */
    void waitForPermit() {
        isWaiting = true;
        wasNotSent = true;
    }

    /**
     * Notes that the last call has a permit. If it has waited for that, the time of a client that
     * was not called before begins, unless a local process waits for the file.
     */
    void begun(long now) {
        called = now;
        if (isWaiting && !wasTried()) {
            began = now;
            recalled = isForLocal ? recalled : now;
            waitedSince = now;
        }
        isWaiting = false;
    }

    /**
     * Notes that the client may know nothing of the last call. It is called again later. If the
     * call was not sent, the time of the client begins anew with that. If no slot was free, this
     * lasts no longer than the time of one recall: a client can keep its slots in use for ever.
     */
    void missed(Missed why) {
        isWaiting = false;
        missed = why;
        switch (why) {
            case NO_ROOM -> wasNotSent = true;
            case NO_SLOT -> {
                called = ordered;
                wasNotSent = true;
                hadNoSlot = true;
            }
            case NOT_TAKEN -> taken();
        }
    }

    /** Notes that the client has accepted the last call. */
    void taken() {
        called = ordered;
        wasSent = true;
    }

    /** Returns whether the client was called, as far as is known. */
    boolean wasCalled() {
        return wasSent || !wasNotSent;
    }

    /** Returns whether a call was sent, as is known, or found no free slot of the client. */
    private boolean wasTried() {
        return wasSent || hadNoSlot;
    }

    /**
     * Returns whether the client was never called, because the server has no room for the call. Its
     * time has not begun, unless a local process waits for the file.
     */
    boolean isUncalled() {
        return !wasTried() && (isWaiting || missed == Missed.NO_ROOM);
    }

    /** Returns why the client loses it. */
    Action.TakenBecause whyTaken() {
        if (!client.canBeCalled() || client.missedCall) {
            return Action.TakenBecause.OUT_OF_REACH;
        }
        if (wasCalled()) {
            return Action.TakenBecause.NOT_RETURNED;
        }
        return hadNoSlot ? Action.TakenBecause.NO_SLOT : Action.TakenBecause.NOT_CALLED;
    }

    /**
     * Notes that a local process waits for the file. The kernel lets it go on after a time of its
     * own, whether the client was called or not. So the time of the client does not begin anew.
     */
    void neededLocally() {
        isForLocal = true;
    }

    /** Returns whether the time of the client begins with a call now. */
    boolean beginsAnew(long now) {
        return wasMissedUnsent() && !isForLocal && (isUncalled() || now - began <= limit);
    }

    /** Returns whether the client has to be called, because it may not know of the last call. */
    boolean isCallDue(long now) {
        return missed != null && mayCallAgain(now);
    }

    /** Returns whether a further call may be of use. */
    boolean mayCallAgain(long now) {
        return !isWaiting && (wasMissedUnsent() || now - ordered > CALL_AGAIN_NANOS);
    }

    private boolean wasMissedUnsent() {
        return missed == Missed.NO_ROOM || missed == Missed.NO_SLOT;
    }

    /** Returns how long ago the client was called last, or the delegation recalled. */
    long sinceCall(long now) {
        return now - called;
    }

    /** Notes that others wait for the file. */
    void waitFor(long since) {
        if (!isWaitedFor) {
            isWaitedFor = true;
            waitedSince = since;
        }
    }

    /** Returns how long others have waited for the file because of the client, in nanoseconds. */
    long waited(long now) {
        return isWaitedFor && (wasCalled() || hadNoSlot) ? now - waitedSince : 0;
    }

    /** Shortens the time that the client may take. */
    void shorten(long nanos) {
        limit = Math.max(1, limit - nanos);
    }

    /** Returns whether the client has not returned it in time. */
    boolean isOverdue(long now) {
        boolean mayEnd = isForLocal || !isUncalled();
        return isRecalled() && mayEnd && now - recalled > limit;
    }

    /** Returns whether the delegation allows a use of the file by its stateid. */
    boolean allows(StateIdUse use) {
        return use == StateIdUse.READ || kind == DelegationKind.WRITE;
    }
}
