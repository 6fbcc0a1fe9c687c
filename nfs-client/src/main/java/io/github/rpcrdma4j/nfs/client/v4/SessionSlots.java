package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.client.v4.session.ProbePauses;
import io.github.rpcrdma4j.nfs.client.v4.session.Slot.Outcome;
import io.github.rpcrdma4j.nfs.client.v4.session.Slot.State;
import io.github.rpcrdma4j.nfs.client.v4.session.SlotTable;
import io.github.rpcrdma4j.nfs.client.v4.state.Grace;
import io.github.rpcrdma4j.nfs.client.v4.state.Lease;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.nfs.v4.operation.SessionResult;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

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

    private final SessionThreads threads;
    private final ReentrantLock lock = new ReentrantLock();

    /** Signalled when a slot was given back, or is in doubt, or the session is another one. */
    private final Condition changed;

    /** Guarded by the lock, like the fields below; null before the first session. */
    private Live live;

    /** By the clock of the threads, like the pauses. */
    private final Lease lease;

    private final ProbePauses probes;

    /** Whether the session is lost, or there is none yet: calls wait for another one. */
    private boolean isLost = true;

    /** Whether the present session is of no use, although the server has not forgotten it. */
    private boolean isUseless;

    /** Why the newest attempt to make a session failed. */
    private IOException failure;

    /** How many attempts to make a session have failed. */
    private int failures;

    /** Why the newest question of the keeper has no answer; null if it has one. */
    private RpcException silence;

    /** How often calls in progress may have been sent again, because a connection was lost. */
    private int repetitions;

    /** The status flags of the newest success. */
    private int flags;

    /** When the state was checked because of flags, by the clock of the threads. */
    private long checked;

    /** Whether the server waits for a call that shows which slots are used now. */
    private boolean isRecalled;

    /** Whether something is to be closed that nobody uses, and from when on, by the same clock. */
    private boolean isUntidy;

    private long tidied;

    private boolean isClosed;

    SessionSlots(SessionThreads threads) {
        this.threads = threads;
        this.changed = threads.condition(lock);
        this.lease = new Lease(threads.nanoTime());
        this.probes = new ProbePauses(threads.nanoTime());
        this.checked = threads.nanoTime() - lease.renewalNanos();
    }

    /** A session as the server made it, and its slots, which the lock guards. */
    record Live(ServerSessions.Made made, SlotTable slots) {
        Live(ServerSessions.Made made) {
            this(made, new SlotTable(made.fore().slots()));
        }
    }

    /** Changes fields, and lets all look at them. */
    private void change(Runnable change) {
        lock.lock();
        try {
            change.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private <T> T ask(Supplier<T> question) {
        lock.lock();
        try {
            return question.get();
        } finally {
            lock.unlock();
        }
    }

    /** Takes note that calls in progress may be sent again, on a new connection or another one. */
    void mayRepeat() {
        change(() -> repetitions++);
    }

    /** Returns whether a call may have been sent more than once since it took its slot. */
    boolean mayBeRepeated(SlotTicket ticket) {
        return ask(() -> ticket.repetitions() != repetitions);
    }

    /** Lets calls wait until the keeper has made another session, if this is the present one. */
    void lose(Live forgotten) {
        change(() -> isLost |= live == forgotten);
    }

    /** Lets calls go on, in the present session. */
    void recovered() {
        change(() -> isLost = false);
    }

    /** Lets the calls fail that wait for a session. */
    void unrecovered(IOException reason) {
        change(
                () -> {
                    failure = reason;
                    failures++;
                });
    }

    /**
     * Begins with a session, in place of the one before.
     *
     * @param sent when it was asked for, by the clock of the threads
     */
    void begin(ServerSessions.Made made, long sent) {
        change(
                () -> {
                    live = new Live(made);
                    lease.begin(sent);
                    flags = 0;
                    isUseless = false;
                });
    }

    /** Hears that the server wants to see fewer slots used, or more. The keeper tells it so. */
    void recall(int highest) {
        change(
                () -> {
                    if (live != null) {
                        live.slots.target(highest);
                        isRecalled = true;
                    }
                });
    }

    /** Sets the time of the lease. */
    void lease(Duration time) {
        change(() -> lease.last(time));
    }

    /** Takes note that the client has introduced itself. */
    void introduced() {
        change(() -> lease.introduced(threads.nanoTime()));
    }

    /** Returns how long a server that has restarted may wait for its clients. */
    Grace grace() {
        return ask(() -> lease.grace());
    }

    /** Returns whether the lease may have ended, because nothing renewed it for so long. */
    boolean mayLeaseHaveEnded() {
        return ask(() -> lease.mayHaveEnded(threads.nanoTime()));
    }

    /** Returns the present session; null before the first one. */
    Live live() {
        return ask(() -> live);
    }

    /**
     * Waits for a slot, for the session if it is lost, and until no earlier call may still change a
     * file of the plan: what is done now could be undone by it.
     *
     * @param what for the message of a failure
     * @throws NfsException {@link Status#JUKEBOX} if the end of such a call is not known in time
     */
    SlotTicket take(Plan plan, String what, Duration timeout)
            throws IOException, InterruptedException {
        return take(plan, false, what, timeout);
    }

    /** Waits for a slot, also while others wait for the session, or for the end of a call. */
    SlotTicket takeForKeeper(Plan plan, String what, Duration timeout)
            throws IOException, InterruptedException {
        return take(plan, true, what, timeout);
    }

    private SlotTicket take(Plan plan, boolean isOfKeeper, String what, Duration timeout)
            throws IOException, InterruptedException {
        lock.lockInterruptibly();
        try {
            long nanos = TimeUnit.NANOSECONDS.convert(timeout);
            while (true) {
                if (!isOfKeeper) {
                    awaitSession(what);
                }
                var ticket = tryTakeLocked(plan, isOfKeeper);
                if (ticket.isPresent()) {
                    return ticket.get();
                }
                if (isClosed) {
                    throw new IOException(what + ": the connection was closed");
                }
                if (nanos <= 0) {
                    throw late(plan, what);
                }
                nanos = changed.awaitNanos(nanos);
            }
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

    /** Returns the failure of a call that could not be sent in time. */
    private IOException late(Plan plan, String what) {
        if (!mayBeUndone(plan)) {
            return new IOException(what + ": no slot of the session became free in time");
        }
        // A server that tells nothing fails all calls, and not those about one file.
        return silence != null
                ? silence
                : NfsException.found(
                        what,
                        "an earlier change of the file has had no answer, and the server may still"
                                + " make it",
                        Status.JUKEBOX);
    }

    private boolean mayBeUndone(Plan plan) {
        return live.slots.mayStillChange() && live.slots.mayStillChange(plan.files());
    }

    /** Returns whether an earlier call may still change a file of the plan. */
    boolean isHeldUp(Plan plan) {
        return ask(() -> mayBeUndone(plan));
    }

    /** Takes a slot if one is free, the session is not lost, and nothing holds the plan up. */
    Optional<SlotTicket> tryTake(Plan plan) {
        return ask(() -> isLost ? Optional.empty() : tryTakeLocked(plan, false));
    }

    /**
     * Waits until {@link #tryTake} may succeed, or for a moment.
     *
     * @param due until when it has to, by the clock of the threads
     * @throws IOException if the session is lost, and cannot be made anew, or the time has passed
     */
    void awaitSlot(Plan plan, String what, long due) throws IOException, InterruptedException {
        lock.lockInterruptibly();
        try {
            awaitSession(what);
            if (live.slots.free() <= RESERVED || mayBeUndone(plan)) {
                if (threads.nanoTime() - due >= 0) {
                    throw late(plan, what);
                }
                changed.awaitNanos(PAUSE_NANOS);
            }
        } finally {
            lock.unlock();
        }
    }

    private Optional<SlotTicket> tryTakeLocked(Plan plan, boolean isOfKeeper) {
        if (isClosed || !isOfKeeper && mayBeUndone(plan)) {
            return Optional.empty();
        }
        var slot = live.slots.take(isOfKeeper ? 0 : RESERVED);
        return slot.isPresent() ? Optional.of(ticket(slot.getAsInt(), plan)) : Optional.empty();
    }

    private SlotTicket ticket(int slot, Plan plan) {
        var taken = live.slots.sequence(slot);
        return new SlotTicket(
                live,
                slot,
                new SessionArguments.Sequence(
                        live.made.id(), taken.sequence(), taken.number(), taken.highest(), false),
                plan,
                repetitions,
                threads.nanoTime());
    }

    /** Takes note of what the server says with a success. */
    void heard(SlotTicket ticket, SessionResult.Sequence sequence) {
        lock.lock();
        try {
            ticket.live().slots.target(sequence.targetHighestSlot());
            if (ticket.live() == live) {
                lease.renewed(ticket.taken());
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
    void settle(SlotTicket ticket, Outcome outcome) {
        lock.lock();
        try {
            if (ticket.live() == live && live.slots.isSent(ticket.slot())) {
                var state = live.slots.after(ticket.slot(), known(ticket, outcome));
                if (state == State.IN_DOUBT) {
                    live.slots.mayChange(ticket.slot(), ticket.plan().changed());
                    probes.begin(threads.nanoTime());
                }
                requireUse(state);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Lets the keeper make another session if the two sides do not agree, or if no slot is left.
     */
    private void requireUse(State ofSlot) {
        isUseless |= ofSlot == State.LOST || live.slots.usable() == 0;
        isLost |= isUseless;
    }

    /** Returns the present session if it is of no use, although the server has not forgotten it. */
    Optional<ServerSessions.Made> useless() {
        return ask(() -> isUseless ? Optional.of(live.made) : Optional.empty());
    }

    /** Returns what an outcome says if the call is not sent again. */
    private Outcome known(SlotTicket ticket, Outcome outcome) {
        // The refusal of a second copy says nothing of the first one.
        boolean isOfSecond = outcome == Outcome.REFUSED && mayBeRepeated(ticket);
        return outcome.isSentAgain() || isOfSecond ? Outcome.UNKNOWN : outcome;
    }

    /** Returns whether nobody knows yet what became of some call. */
    boolean isInDoubt() {
        return ask(() -> live.slots.isInDoubt());
    }

    /** Lets the keeper close what nobody uses, after a time. */
    void tidyUp(long nanos) {
        change(
                () -> {
                    isUntidy = true;
                    tidied = threads.nanoTime() + nanos;
                });
    }

    /**
     * Waits for work of the keeper.
     *
     * @return empty if the session was closed
     */
    Optional<SessionKeeper.Work> awaitWork() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!isClosed) {
                if (isLost) {
                    return Optional.of(new SessionKeeper.Work.Recovery());
                }
                long now = threads.nanoTime();
                long asking =
                        live.slots.isInDoubt() ? Math.max(0, probes.untilDue(now)) : Long.MAX_VALUE;
                if (asking == 0) {
                    int doubtful = live.slots.probe().orElseThrow();
                    return Optional.of(
                            new SessionKeeper.Work.Sequence(ticket(doubtful, Plan.EMPTY)));
                }
                if (isCheckDue(now)) {
                    checked = now;
                    return Optional.of(new SessionKeeper.Work.Check());
                }
                if (isUntidy && tidied - now <= 0) {
                    isUntidy = false;
                    return Optional.of(new SessionKeeper.Work.Tidying());
                }
                long due = isRecalled ? 0 : lease.untilDue(now);
                if (due <= 0) {
                    var free = tryTakeLocked(Plan.EMPTY, true);
                    if (free.isPresent()) {
                        isRecalled = false;
                        return Optional.of(new SessionKeeper.Work.Sequence(free.get()));
                    }
                    due = PAUSE_NANOS;
                }
                due = Math.min(due, asking);
                changed.awaitNanos(isUntidy ? Math.min(due, tidied - now) : due);
            }
            return Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    /** A server that keeps its flags also after the check costs one check for each renewal. */
    private boolean isCheckDue(long now) {
        return SessionRecovery.asksForCheck(flags) && now - checked - lease.renewalNanos() >= 0;
    }

    /**
     * Gives a slot of the keeper back.
     *
     * @param failure why there is no answer; null if there is one
     */
    void settleProbe(SlotTicket ticket, Outcome outcome, RpcException failure) {
        lock.lock();
        try {
            silence = failure;
            long now = threads.nanoTime();
            changed.signalAll();
            if (ticket.live() != live) {
                return;
            }
            if (live.slots.isSent(ticket.slot())) {
                // A lease that cannot be renewed now is renewed after a while.
                lease.asked(now);
            }
            var state = live.slots.after(ticket.slot(), outcome);
            if (state == State.PROBING || state == State.SENT) {
                // The outcome asks for another probe.
                state = live.slots.after(ticket.slot(), Outcome.UNKNOWN);
            }
            if (state == State.IN_DOUBT) {
                probes.toldNothing(now);
            } else {
                probes.begin(now);
            }
            requireUse(state);
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
