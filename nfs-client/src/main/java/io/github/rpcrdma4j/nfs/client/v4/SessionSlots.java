package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.v4.session.Slot.Outcome;
import io.github.rpcrdma4j.nfs.client.v4.session.Slot.State;
import io.github.rpcrdma4j.nfs.client.v4.session.SlotTable;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.nfs.v4.operation.SessionResult;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Gives the slots of the present session to calls, and takes them back. When the session is another
 * one, slots of the one before mean nothing any more. Thread-safe.
 *
 * <p>Tests: {@code Nfs4SessionTest}.
 */
final class SessionSlots {
    /** So many slots stay free for the keeper of the session. */
    private static final int RESERVED = 1;

    /** The longest time between two renewals, also of a long lease. */
    private static final long RENEWAL_NANOS_MAX = TimeUnit.SECONDS.toNanos(30);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final SessionThreads threads;
    private final ReentrantLock lock = new ReentrantLock();

    /** Signalled when a slot was given back, or is in doubt, or the session is another one. */
    private final Condition changed;

    /** Guarded by the lock, like the fields below; null before the first session. */
    private Live live;

    /** When the lease was renewed, by the clock of the threads. */
    private long renewed;

    /** The time of the lease. */
    private long leaseNanos = TimeUnit.SECONDS.toNanos(2);

    /** Whether the session is lost, or there is none yet: calls wait for another one. */
    private boolean isLost = true;

    /** Why the newest attempt to make a session failed. */
    private IOException failure;

    /** How many attempts to make a session have failed. */
    private int failures;

    /** How many connections there have been. */
    private int connections;

    /** The status flags of the newest success. */
    private int flags;

    /** When the state was checked because of flags, by the same clock. */
    private long checked;

    /** Whether something is to be closed that nobody uses, and from when on, by the same clock. */
    private boolean isUntidy;

    private long tidied;

    private boolean isClosed;

    SessionSlots(SessionThreads threads) {
        this.threads = threads;
        this.changed = threads.condition(lock);
        this.checked = threads.nanoTime() - RENEWAL_NANOS_MAX;
    }

    /** A session as the server made it, and its slots, which the lock guards. */
    record Live(ServerSessions.Made made, SlotTable slots) {
        Live(ServerSessions.Made made) {
            this(
                    made,
                    new SlotTable(
                            (int)
                                    Math.min(
                                            Integer.toUnsignedLong(made.fore().slots()),
                                            SlotTable.SLOTS_MAX)));
        }
    }

    /**
     * The right to make one call.
     *
     * @param connection the number of the connection that there was
     */
    record Ticket(Live live, int slot, SessionArguments.Sequence sequence, int connection) {}

    /** Work of the keeper of the session. */
    sealed interface Work {
        /** It asks about a slot in doubt, or renews the lease, by SEQUENCE alone. */
        record Sequence(Ticket ticket) implements Work {}

        /** It makes a session. */
        record Recovery() implements Work {}

        /** It checks which state the server still has. */
        record Check() implements Work {}

        /** It closes what nobody uses. */
        record Tidying() implements Work {}
    }

    /** Takes note of a new connection. */
    void connected() {
        lock.lock();
        try {
            connections++;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether a call may have been sent more than once since it took its slot. */
    boolean mayBeRepeated(Ticket ticket) {
        lock.lock();
        try {
            return ticket.connection != connections;
        } finally {
            lock.unlock();
        }
    }

    /** Lets calls wait until the keeper has made another session, if this is the present one. */
    void lose(Live forgotten) {
        lock.lock();
        try {
            if (live == forgotten) {
                isLost = true;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Lets calls go on, in the present session. */
    void recovered() {
        lock.lock();
        try {
            isLost = false;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Lets the calls fail that wait for a session. */
    void unrecovered(IOException reason) {
        lock.lock();
        try {
            failure = reason;
            failures++;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Begins with a session, in place of the one before. */
    void begin(ServerSessions.Made made) {
        lock.lock();
        try {
            live = new Live(made);
            renewed = threads.nanoTime();
            flags = 0;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Sets the time of the lease. */
    void lease(Duration time) {
        lock.lock();
        try {
            leaseNanos = time.toNanos();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Returns how long a server that restarted may wait for its clients: it is to be a lease. */
    Duration recovery() {
        lock.lock();
        try {
            return Duration.ofNanos(2 * leaseNanos);
        } finally {
            lock.unlock();
        }
    }

    private long renewalNanos() {
        return Math.min(leaseNanos / 2, RENEWAL_NANOS_MAX);
    }

    /** Returns the present session; null before the first one. */
    Live live() {
        lock.lock();
        try {
            return live;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for a slot, and for the session, if it is lost.
     *
     * @param what for the message of a failure
     */
    Ticket take(String what, Duration timeout) throws IOException, InterruptedException {
        lock.lockInterruptibly();
        try {
            awaitSession(what);
            return takeLocked(RESERVED, what, timeout);
        } finally {
            lock.unlock();
        }
    }

    /** Waits for a slot, also while others wait for the session. */
    Ticket takeForKeeper(String what, Duration timeout) throws IOException, InterruptedException {
        lock.lockInterruptibly();
        try {
            return takeLocked(0, what, timeout);
        } finally {
            lock.unlock();
        }
    }

    /** The keeper ends the wait: it has a time for each attempt. */
    private void awaitSession(String what) throws IOException, InterruptedException {
        int before = failures;
        while (isLost && !isClosed) {
            if (failures != before) {
                throw new IOException(what + ": " + failure.getMessage(), failure);
            }
            changed.await();
        }
    }

    private Ticket takeLocked(int reserved, String what, Duration timeout)
            throws IOException, InterruptedException {
        long nanos = TimeUnit.NANOSECONDS.convert(timeout);
        while (true) {
            var ticket = tryTakeLocked(reserved);
            if (ticket.isPresent()) {
                return ticket.get();
            }
            if (isClosed) {
                throw new IOException(what + ": the connection was closed");
            }
            if (nanos <= 0) {
                throw noSlot(what);
            }
            nanos = changed.awaitNanos(nanos);
        }
    }

    private static IOException noSlot(String what) {
        return new IOException(what + ": no slot of the session became free in time");
    }

    /** Takes a slot if one is free, and the session is not lost. */
    Optional<Ticket> tryTake() {
        lock.lock();
        try {
            return isLost ? Optional.empty() : tryTakeLocked(RESERVED);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until a slot may be free, or for a moment.
     *
     * @param due until when one has to become free, by the clock of the threads
     * @throws IOException if the session is lost, and cannot be made anew, or no slot became free
     */
    void awaitSlot(String what, long due) throws IOException, InterruptedException {
        lock.lockInterruptibly();
        try {
            awaitSession(what);
            if (live.slots.free() <= RESERVED) {
                if (threads.nanoTime() - due >= 0) {
                    throw noSlot(what);
                }
                changed.awaitNanos(PAUSE_NANOS);
            }
        } finally {
            lock.unlock();
        }
    }

    private Optional<Ticket> tryTakeLocked(int reserved) {
        if (isClosed) {
            return Optional.empty();
        }
        var slot = live.slots.take(reserved);
        return slot.isPresent() ? Optional.of(ticket(slot.getAsInt())) : Optional.empty();
    }

    private Ticket ticket(int slot) {
        var taken = live.slots.sequence(slot);
        return new Ticket(
                live,
                slot,
                new SessionArguments.Sequence(
                        live.made.id(), taken.sequence(), taken.number(), taken.highest(), false),
                connections);
    }

    /** Takes note of what the server says with a success. */
    void heard(Ticket ticket, SessionResult.Sequence sequence) {
        lock.lock();
        try {
            ticket.live.slots.target(sequence.targetHighestSlot());
            renewed = threads.nanoTime();
            if (ticket.live == live) {
                flags = sequence.statusFlags();
                if (live.made.callbackMax().isEmpty()) {
                    // There is no path that could be down.
                    flags &= ~SessionRecovery.PATH_DOWN;
                }
                if (SessionRecovery.asksForCheck(flags)) {
                    changed.signalAll();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Gives a slot back. Giving it back twice is harmless. */
    void settle(Ticket ticket, Outcome outcome) {
        lock.lock();
        try {
            if (ticket.live == live && live.slots.isSent(ticket.slot)) {
                // Who gives it back does not send the call again.
                live.slots.after(ticket.slot, outcome.isSentAgain() ? Outcome.UNKNOWN : outcome);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether nobody knows yet what became of some call. */
    boolean isInDoubt() {
        lock.lock();
        try {
            return live.slots.isInDoubt();
        } finally {
            lock.unlock();
        }
    }

    /** Lets the keeper close what nobody uses, after a time. */
    void tidyUp(long nanos) {
        lock.lock();
        try {
            isUntidy = true;
            tidied = threads.nanoTime() + nanos;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for work of the keeper.
     *
     * @return empty if the session was closed
     */
    Optional<Work> awaitWork() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!isClosed) {
                if (isLost) {
                    return Optional.of(new Work.Recovery());
                }
                var doubtful = live.slots.probe();
                if (doubtful.isPresent()) {
                    return Optional.of(new Work.Sequence(ticket(doubtful.getAsInt())));
                }
                long now = threads.nanoTime();
                if (isCheckDue(now)) {
                    checked = now;
                    return Optional.of(new Work.Check());
                }
                if (isUntidy && tidied - now <= 0) {
                    isUntidy = false;
                    return Optional.of(new Work.Tidying());
                }
                long due = renewed + renewalNanos() - now;
                if (due <= 0) {
                    var free = tryTakeLocked(0);
                    if (free.isPresent()) {
                        return Optional.of(new Work.Sequence(free.get()));
                    }
                    due = PAUSE_NANOS;
                }
                changed.awaitNanos(isUntidy ? Math.min(due, tidied - now) : due);
            }
            return Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    /** A server that keeps its flags also after the check costs one check for each renewal. */
    private boolean isCheckDue(long now) {
        return SessionRecovery.asksForCheck(flags) && now - checked - renewalNanos() >= 0;
    }

    /** Gives a slot of the keeper back. Returns whether the two sides do not agree any more. */
    boolean settleProbe(Ticket ticket, Outcome outcome) {
        lock.lock();
        try {
            // A session that cannot be renewed now is tried again after a while.
            renewed = threads.nanoTime();
            changed.signalAll();
            if (ticket.live != live) {
                return false;
            }
            var state = live.slots.after(ticket.slot, outcome);
            if (state == State.PROBING || state == State.SENT) {
                // The outcome asks for another probe.
                live.slots.after(ticket.slot, Outcome.UNKNOWN);
            }
            return state == State.LOST;
        } finally {
            lock.unlock();
        }
    }

    /** Ends all waits. Returns false if that was done before. */
    boolean close() {
        lock.lock();
        try {
            boolean isFirst = !isClosed;
            isClosed = true;
            changed.signalAll();
            return isFirst;
        } finally {
            lock.unlock();
        }
    }
}
