package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.service.LockLostException;
import io.github.rpcrdma4j.nfs.client.service.LockRange;
import io.github.rpcrdma4j.nfs.client.v4.state.HeldLocks;
import io.github.rpcrdma4j.nfs.v4.operation.LockArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockArguments.Locker;
import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;

/**
 * The locks of an open file, which are those of one lock-owner (RFC 8881, Section 9). What the
 * server forgot when it restarted may be claimed; all else that it forgets is lost, and stays lost
 * until it is unlocked here. Thread-safe.
 *
 * <p>Tests: {@code FileLocksTest}.
 */
final class LocksOfOpen {
    private final StateOwner owner;
    private final UnaryOperator<StateId> sent;
    private final SessionThreads threads;

    /** Guarded by this object, like the fields below. */
    private HeldLocks held = HeldLocks.NONE;

    /** What the server may have locked, although nobody holds it here. */
    private HeldLocks late = HeldLocks.NONE;

    /** The stateid of the locks; null before the first one. */
    private StateId stateId;

    /** Whether the stateid is of before a restart of the server, and no lock was claimed since. */
    private boolean isOld;

    /** How locks were lost; null if they were not. */
    private String lost;

    /** What to run then, once. */
    private final List<Runnable> whenLost = new ArrayList<>();

    /** Held for moments only. */
    private final ReentrantLock hearing = new ReentrantLock();

    /** Signalled when the server says that a lock may be free now. */
    private final Condition heard;

    /** How often the server said so. Guarded by the lock of hearing. */
    private long notices;

    /**
     * @param owner of no other open file
     * @param sent what calls send for a stateid that the server has told
     */
    LocksOfOpen(StateOwner owner, UnaryOperator<StateId> sent, SessionThreads threads) {
        this.owner = owner;
        this.sent = sent;
        this.threads = threads;
        this.heard = threads.condition(hearing);
    }

    StateOwner owner() {
        return owner;
    }

    /** Throws if locks were lost. */
    synchronized void requireKept(String what) throws LockLostException {
        if (lost != null) {
            throw new LockLostException(what, lost);
        }
    }

    /**
     * Returns the stateid of the locks, with which the server checks them at each READ and WRITE.
     */
    synchronized Optional<StateId> stateId() {
        return held.isEmpty() || lost != null ? Optional.empty() : Optional.of(sent.apply(stateId));
    }

    /** Returns the arguments of LOCK. */
    synchronized LockArguments.Lock locking(
            LockRange range, boolean isExclusive, boolean isWaiting, StateId open) {
        return locking(
                HeldLocks.Range.of(range.offset(), range.length(), isExclusive),
                isWaiting,
                false,
                open);
    }

    /** Returns the arguments of LOCK for a range that is late, or that is held. */
    synchronized LockArguments.Lock locking(HeldLocks.Range range, StateId open) {
        return locking(range, false, false, open);
    }

    /** Returns the arguments of LOCK that claim a range. */
    synchronized LockArguments.Lock claiming(HeldLocks.Range range, StateId open) {
        return locking(range, false, true, open);
    }

    private LockArguments.Lock locking(
            HeldLocks.Range range, boolean isWaiting, boolean isClaim, StateId open) {
        var type =
                range.isExclusive()
                        ? isWaiting ? LockType.WRITE_WAITING : LockType.WRITE
                        : isWaiting ? LockType.READ_WAITING : LockType.READ;
        var locker =
                stateId == null || isClaim && isOld
                        ? new Locker.NewOwner(0, open, 0, owner)
                        : new Locker.Existing(sent.apply(stateId), 0);
        return new LockArguments.Lock(type, isClaim, range.offset(), range.length(), locker);
    }

    /** Takes note of a granted lock. */
    synchronized void granted(LockRange range, boolean isExclusive, StateId locked) {
        stateId = locked;
        held = held.with(HeldLocks.Range.of(range.offset(), range.length(), isExclusive));
        late = late.without(range.offset(), range.length());
    }

    /** Takes note of a LOCK of which nobody knows what became. */
    synchronized void mayBeLocked(LockRange range, boolean isExclusive) {
        late = late.with(HeldLocks.Range.of(range.offset(), range.length(), isExclusive));
    }

    /** Takes note of a LOCKU of which nobody knows what became: the range is not held here. */
    synchronized void mayBeUnlocked(LockRange range) {
        unlocked(range);
        mayBeLocked(range, true);
    }

    /** Returns what the server may have locked, although nobody holds it here. */
    synchronized List<HeldLocks.Range> late() {
        return late.ranges();
    }

    /** Takes note that the server has locked nothing of a range that is not held here. */
    synchronized void settled(HeldLocks.Range range) {
        late = late.without(range.offset(), range.length());
    }

    /** Hears that the server has forgotten what nobody holds here. */
    synchronized void forgetLate() {
        late = HeldLocks.NONE;
    }

    /** Takes note of the stateid of locks that nobody holds here. */
    synchronized void learn(StateId locked) {
        stateId = locked;
    }

    /** Returns the parts of a range that are held. */
    synchronized List<HeldLocks.Range> held(HeldLocks.Range range) {
        return held.within(range).ranges();
    }

    /** Returns the parts of a range that are not held. */
    synchronized List<HeldLocks.Range> notHeld(HeldLocks.Range range) {
        return new HeldLocks(List.of(range)).without(held).ranges();
    }

    /** Takes note of the stateid that the locks have now, unless they are lost meanwhile. */
    synchronized void changed(StateId locked) {
        if (stateId != null && stateId.withSequence(0).equals(locked.withSequence(0))) {
            stateId = locked;
        }
    }

    /** Returns whether there may have been a lock. */
    synchronized boolean isUsed() {
        return stateId != null;
    }

    /** Takes note of the stateid of a claimed lock. */
    synchronized void claimed(StateId locked) {
        stateId = locked;
        isOld = false;
    }

    /** Returns the arguments of LOCKU; empty if nothing of the range is locked at the server. */
    synchronized Optional<LockArguments.LockU> unlocking(LockRange range) {
        return held.isEmpty() || lost != null
                ? Optional.empty()
                : Optional.of(unlocking(HeldLocks.Range.of(range.offset(), range.length(), true)));
    }

    /** Returns the arguments of LOCKU for a range that is late. */
    synchronized LockArguments.LockU unlocking(HeldLocks.Range range) {
        return new LockArguments.LockU(
                LockType.WRITE, 0, sent.apply(stateId), range.offset(), range.length());
    }

    /** Takes note that a range is not locked any more. */
    synchronized void unlocked(LockRange range) {
        held = held.without(range.offset(), range.length());
        if (held.isEmpty()) {
            lost = null;
        }
    }

    /** Returns the ranges to claim. Calls that use the old stateid meanwhile are refused. */
    synchronized List<HeldLocks.Range> toClaim() {
        isOld = true;
        return lost == null ? held.ranges() : List.of();
    }

    /** Hears that the server does not know the locks any more. */
    synchronized void lost(String reason) {
        stateId = null;
        forgetLate();
        if (!held.isEmpty() && lost == null) {
            lost = reason;
            whenLost.forEach(this::start);
            whenLost.clear();
        }
    }

    /** Runs an action when locks are lost, or now if they are. */
    synchronized void whenLost(Runnable action) {
        if (lost == null) {
            whenLost.add(action);
        } else {
            start(action);
        }
    }

    private void start(Runnable action) {
        threads.unstarted("nfs4-lock-lost", action).start();
    }

    /** Hears that a lock may be free now. */
    void hear() {
        hearing.lock();
        try {
            notices++;
            heard.signalAll();
        } finally {
            hearing.unlock();
        }
    }

    long notices() {
        hearing.lock();
        try {
            return notices;
        } finally {
            hearing.unlock();
        }
    }

    /** Waits for a notice after so many, or until a time has passed. Returns whether one came. */
    boolean awaitNotice(long before, long nanos) throws InterruptedException {
        hearing.lockInterruptibly();
        try {
            long left = nanos;
            while (notices == before && left > 0) {
                left = heard.awaitNanos(left);
            }
            return notices != before;
        } finally {
            hearing.unlock();
        }
    }
}
