package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.service.LockLostException;
import io.github.rpcrdma4j.nfs.client.service.LockRange;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.client.v4.state.HeldLocks;
import io.github.rpcrdma4j.nfs.v4.operation.LockArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockArguments.Locker;
import io.github.rpcrdma4j.nfs.v4.operation.LockResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import java.io.IOException;
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

    /** What was held before a restart of the server, and is not claimed since. */
    private HeldLocks unclaimed = HeldLocks.NONE;

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

    private synchronized LockArguments.Lock locking(
            HeldLocks.Range range, boolean isWaiting, boolean isClaim, StateId open) {
        var type =
                range.isExclusive()
                        ? isWaiting ? LockType.WRITE_WAITING : LockType.WRITE
                        : isWaiting ? LockType.READ_WAITING : LockType.READ;
        var locker =
                !isUsed()
                        ? new Locker.NewOwner(0, open, 0, owner)
                        : new Locker.Existing(sent.apply(stateId), 0);
        return new LockArguments.Lock(type, isClaim, range.offset(), range.length(), locker);
    }

    /** Takes note of a granted lock. */
    synchronized void granted(LockRange range, boolean isExclusive, StateId locked) {
        learn(locked);
        held = held.with(HeldLocks.Range.of(range.offset(), range.length(), isExclusive));
        late = late.without(range.offset(), range.length());
    }

    /** Takes note of a LOCK of which nobody knows what became. */
    synchronized void mayBeLocked(LockRange range, boolean isExclusive) {
        mayBeLocked(HeldLocks.Range.of(range.offset(), range.length(), isExclusive));
    }

    private synchronized void mayBeLocked(HeldLocks.Range range) {
        late = late.with(range);
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

    /** Takes note of the stateid of a new lock. */
    synchronized void learn(StateId locked) {
        stateId = locked;
        isOld = false;
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

    /** Returns whether the server may know a stateid of the locks. */
    synchronized boolean isUsed() {
        return stateId != null && !isOld;
    }

    /** Takes note of a claimed lock. */
    private synchronized void claimed(HeldLocks.Range range, StateId locked) {
        learn(locked);
        unclaimed = unclaimed.without(range.offset(), range.length());
        late = late.without(range.offset(), range.length());
    }

    /** Takes note of the LOCKU of all locks in front of a CLOSE, which may have failed. */
    Results closed(Results results) throws IOException {
        var unlocked = results.unlocked();
        if (unlocked.isPresent()) {
            changed(unlocked.get());
            unlocked(LockRange.ALL);
        }
        return results.end();
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
        unclaimed = unclaimed.without(range.offset(), range.length());
        if (held.isEmpty()) {
            lost = null;
        }
    }

    /** Hears that the server lets be claimed what it had. The stateid of before is of no use. */
    synchronized void restarted() {
        isOld = true;
        unclaimed = lost == null ? held : HeldLocks.NONE;
    }

    private synchronized List<HeldLocks.Range> toClaim() {
        return unclaimed.ranges();
    }

    /**
     * Claims what is not claimed since the server has restarted. What ends without an answer is
     * claimed once more at the next recovery.
     *
     * @param at the locked file
     * @param open its stateid
     */
    void claim(Plan at, StateId open, RecoveryCalls calls)
            throws IOException, InterruptedException {
        for (var range : toClaim()) {
            boolean isKnown = false;
            try {
                calls.run(
                        at.lock(locking(range, false, true, open)),
                        "cannot claim a lock",
                        results -> {
                            claimed(range, results.done(1).next(LockResult.Lock.class).lock());
                            return results;
                        });
                isKnown = true;
            } catch (NfsException refused) {
                isKnown = true;
                lost("the server has restarted, and takes no claim: " + refused.reason());
                return;
            } finally {
                if (!isKnown) {
                    // If the file is closed before it is claimed again.
                    mayBeLocked(range);
                }
            }
        }
    }

    /** Hears that the server does not know the locks any more. */
    synchronized void lost(String reason) {
        stateId = null;
        unclaimed = HeldLocks.NONE;
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
