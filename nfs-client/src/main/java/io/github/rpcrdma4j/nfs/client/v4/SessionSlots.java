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

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final ReentrantLock lock = new ReentrantLock();

    /** Signalled when a slot was given back, or is in doubt, or the session is another one. */
    private final Condition changed = lock.newCondition();

    /** Guarded by the lock, like the fields below; null before the first session. */
    private Live live;

    /** When the lease was renewed, by {@link System#nanoTime}. */
    private long renewed;

    /** How long after it the lease is renewed again. */
    private long renewalNanos = TimeUnit.SECONDS.toNanos(1);

    private boolean isClosed;

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

    /** The right to make one call. */
    record Ticket(Live live, int slot, SessionArguments.Sequence sequence) {}

    /** Begins with a session, in place of the one before. */
    void begin(ServerSessions.Made made) {
        lock.lock();
        try {
            live = new Live(made);
            renewed = System.nanoTime();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Sets after which time without a call the lease is renewed. */
    void renewAfter(Duration time) {
        lock.lock();
        try {
            renewalNanos = time.toNanos();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
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
     * Waits for a slot.
     *
     * @param what for the message of a failure
     */
    Ticket take(String what, Duration timeout) throws IOException, InterruptedException {
        long nanos = TimeUnit.NANOSECONDS.convert(timeout);
        lock.lockInterruptibly();
        try {
            while (true) {
                var ticket = tryTakeLocked(RESERVED);
                if (ticket.isPresent()) {
                    return ticket.get();
                }
                if (isClosed) {
                    throw new IOException(what + ": the connection was closed");
                }
                if (nanos <= 0) {
                    throw new IOException(what + ": no slot of the session became free in time");
                }
                nanos = changed.awaitNanos(nanos);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Takes a slot if one is free. */
    Optional<Ticket> tryTake() {
        lock.lock();
        try {
            return tryTakeLocked(RESERVED);
        } finally {
            lock.unlock();
        }
    }

    /** Waits until a slot may be free, or for a moment. */
    void awaitSlot() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            if (live.slots.free() <= RESERVED) {
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
                        live.made.id(), taken.sequence(), taken.number(), taken.highest(), false));
    }

    /** Takes note of what the server says with a success. */
    void heard(Ticket ticket, SessionResult.Sequence sequence) {
        lock.lock();
        try {
            ticket.live.slots.target(sequence.targetHighestSlot());
            renewed = System.nanoTime();
        } finally {
            lock.unlock();
        }
    }

    /** Gives a slot back. Giving it back twice is harmless. */
    void settle(Ticket ticket, Outcome outcome) {
        lock.lock();
        try {
            if (ticket.live == live && live.slots.isSent(ticket.slot)) {
                live.slots.after(ticket.slot, outcome);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for work of the keeper: a slot in doubt, which it is to probe, or a free one when it is
     * time to renew the lease.
     *
     * @return empty if the session was closed
     */
    Optional<Ticket> awaitWork() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!isClosed) {
                var doubtful = live.slots.probe();
                if (doubtful.isPresent()) {
                    return Optional.of(ticket(doubtful.getAsInt()));
                }
                long due = renewed + renewalNanos - System.nanoTime();
                if (due <= 0) {
                    var free = tryTakeLocked(0);
                    if (free.isPresent()) {
                        return free;
                    }
                    due = PAUSE_NANOS;
                }
                changed.awaitNanos(due);
            }
            return Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    /** Gives a slot of the keeper back. Returns whether the two sides do not agree any more. */
    boolean settleProbe(Ticket ticket, Outcome outcome) {
        lock.lock();
        try {
            // A session that cannot be renewed now is tried again after a while.
            renewed = System.nanoTime();
            changed.signalAll();
            if (ticket.live != live) {
                return false;
            }
            var state = live.slots.after(ticket.slot, outcome);
            if (state == State.PROBING) {
                // The outcome asks for another probe.
                live.slots.after(ticket.slot, Outcome.CUT);
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
