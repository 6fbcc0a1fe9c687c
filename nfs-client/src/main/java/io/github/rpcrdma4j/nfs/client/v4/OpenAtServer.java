package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.LockRange;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.client.v4.state.OpenState;
import io.github.rpcrdma4j.nfs.client.v4.state.OpenState.Event;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockResult;
import io.github.rpcrdma4j.nfs.v4.operation.OpenClaim;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A file that is open at the server of a session. The owner of the open is the same when the file
 * is opened once more, so a server that has not forgotten it after all has one open, not two.
 * Thread-safe.
 *
 * <p>Tests: {@code LostStateTest}.
 */
final class OpenAtServer implements OpenFile {
    private static final String FORGOTTEN =
            "the server has forgotten it, or an administrator ended it";

    /** The first pause between two attempts to lock; each further one is twice as long. */
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long PAUSE_NANOS_MAX = TimeUnit.SECONDS.toNanos(30);

    private final OpenFiles all;
    private final Nfs4Session session;
    private final FileHandle handle;
    private final StateArguments.Open arguments;

    private final LocksOfOpen locks;

    /** One thread opens the file once more, or locks it; the others wait. Held during calls. */
    private final ReentrantLock changing = new ReentrantLock();

    /** Guarded by this object, like the fields below. */
    private StateId stateId;

    private OpenState state = OpenState.OPEN;

    /** Why the file cannot be opened any more. */
    private NfsException why;

    private boolean isClosed;

    OpenAtServer(
            OpenFiles all,
            Nfs4Session session,
            FileHandle handle,
            StateArguments.Open arguments,
            StateId stateId) {
        this.all = all;
        this.session = session;
        this.handle = handle;
        this.arguments = arguments;
        this.stateId = stateId;
        this.locks = new LocksOfOpen(arguments.owner(), session.threads());
    }

    @Override
    public FileHandle handle() {
        return handle;
    }

    /** Returns the number of its owner, which is that of no other open file of the client. */
    long number() {
        return ByteBuffer.wrap(arguments.owner().name().bytes()).getLong();
    }

    /** Unlocks a range with the stateid that the locks have then. */
    private final class Unlocking implements Planning {
        private final LockRange range;
        private final String what;
        private StateId used;

        Unlocking(LockRange range, String what) {
            this.range = range;
            this.what = what;
        }

        @Override
        public Plan plan() throws NfsException {
            used = null;
            var arguments =
                    locks.unlocking(range)
                            .orElseThrow(
                                    () ->
                                            NfsException.found(
                                                    what, "no lock is held", Status.NOT_OPEN));
            used = arguments.lock();
            return Plan.at(Nfs4Values.handle(handle)).unlock(arguments);
        }

        @Override
        public boolean hearsOfLoss() {
            if (used == null) {
                return false;
            }
            revoked(used);
            return true;
        }
    }

    /**
     * Returns the planning of a call that reads or writes.
     *
     * @param what for the message of a failure
     * @param plan of the stateid of the locks, or of the open if there are none
     */
    Planning use(String what, Function<StateId, Plan> plan) {
        return new FileUse(List.of(this), what, stateIds -> plan.apply(stateIds.getFirst()));
    }

    /**
     * Returns the stateid of the locks, or of the open if there are none. Opens the file once more
     * if the server has forgotten it.
     */
    StateId usable(String what) throws IOException, InterruptedException {
        locks.requireKept(what);
        openAgain(what);
        return locks.stateId().orElse(newest());
    }

    /** Returns whether the file cannot be opened any more. */
    boolean isLost() {
        return state() == OpenState.LOST;
    }

    /** Returns a stateid that means the newest one of the open (RFC 8881, Section 8.2.2). */
    synchronized StateId newest() {
        return stateId.withSequence(0);
    }

    /** Returns the stateids of the open and of its locks. */
    List<StateId> stateIds() {
        return Stream.concat(Stream.of(newest()), locks.stateId().stream()).toList();
    }

    /** Hears that the server has forgotten its clients. */
    synchronized void forgotten(boolean canClaim) {
        state = state.after(canClaim ? Event.RESTARTED : Event.REVOKED);
        if (state != OpenState.BEFORE_RESTART) {
            locks.lost(FORGOTTEN);
        }
    }

    /** Hears that the server does not know a stateid: that of the open or of its locks. */
    synchronized void revoked(StateId unknown) {
        if (newest().equals(unknown) || locks.stateId().equals(Optional.of(unknown))) {
            state = state.after(Event.REVOKED);
            if (state != OpenState.BEFORE_RESTART) {
                locks.lost(FORGOTTEN);
            }
        }
    }

    private synchronized OpenState state() {
        return state;
    }

    private synchronized void heard(Nfs4Status status, StateId opened, String what) {
        state = state.after(Event.ofOpen(status));
        switch (state) {
            case OPEN -> stateId = opened;
            case LOST ->
                    why =
                            NfsException.found(
                                    what,
                                    "the server has forgotten that it is open, and does not open it"
                                            + " again: "
                                            + Nfs4Values.status(status).description(),
                                    Status.NOT_OPEN);
            case BEFORE_RESTART, FORGOTTEN -> {}
        }
    }

    /** Claims the open and its locks, if they are of before a restart. */
    void claim(SessionRecovery calls) throws IOException, InterruptedException {
        if (state() != OpenState.BEFORE_RESTART) {
            return;
        }
        // As it was opened without a delegation.
        var plan = opening(new OpenClaim.Previous(0));
        var what = "cannot claim an open file";
        try {
            calls.run(plan, what, results -> decided(results, what));
        } catch (NfsException _) {
            // The server was busy for too long: no claim is made behind the last one.
            heard(Nfs4Status.NO_GRACE, newest(), what);
        }
        if (isClosedUnclaimed()) {
            leave();
        } else if (state() == OpenState.OPEN) {
            claimLocks(calls);
        } else {
            locks.lost("the server has restarted, and takes no claim of the file");
        }
    }

    /** Returns whether the file was closed here before the claim had succeeded. */
    private synchronized boolean isClosedUnclaimed() {
        return isClosed && state == OpenState.OPEN;
    }

    private void claimLocks(SessionRecovery calls) throws IOException, InterruptedException {
        for (var range : locks.toClaim()) {
            try {
                calls.run(
                        locking(locks.claiming(range, newest())),
                        "cannot claim a lock",
                        results -> {
                            locks.claimed(results.done(1).next(LockResult.Lock.class).lock());
                            return results;
                        });
            } catch (NfsException refused) {
                locks.lost("the server has restarted, and takes no claim: " + refused.reason());
                return;
            }
        }
    }

    private Plan locking(LockArguments.Lock arguments) {
        return Plan.at(Nfs4Values.handle(handle)).lock(arguments);
    }

    /**
     * Locks bytes for this open.
     *
     * @param wait how long to wait while another owner has a lock there
     * @return false if another owner still has one
     */
    boolean lock(LockRange range, boolean isExclusive, Duration wait, String what)
            throws IOException, InterruptedException {
        long deadline =
                session.threads().nanoTime()
                        + Math.min(TimeUnit.NANOSECONDS.convert(wait), Long.MAX_VALUE / 2);
        long pause = PAUSE_NANOS;
        while (true) {
            long notices = locks.notices();
            if (isLocked(range, isExclusive, !wait.isZero(), what)) {
                return true;
            }
            long left = deadline - session.threads().nanoTime();
            if (left <= 0) {
                return false;
            }
            // A server may forget to say that the lock is free.
            if (!locks.awaitNotice(notices, Math.min(pause, left))) {
                pause = Math.min(2 * pause, PAUSE_NANOS_MAX);
            }
        }
    }

    private boolean isLocked(LockRange range, boolean isExclusive, boolean isWaiting, String what)
            throws IOException, InterruptedException {
        changing.lockInterruptibly();
        try {
            return session.run(
                    use(what, _ -> locking(locks.locking(range, isExclusive, isWaiting, newest()))),
                    what,
                    results -> {
                        var locked = results.lock();
                        locked.ifPresent(each -> locks.granted(range, isExclusive, each));
                        return locked.isPresent();
                    });
        } finally {
            changing.unlock();
        }
    }

    /** Unlocks bytes. What is lost is only forgotten here. */
    void unlock(LockRange range, String what) throws IOException, InterruptedException {
        changing.lockInterruptibly();
        try {
            session.run(new Unlocking(range, what), what, results -> results.done(2));
        } catch (NfsException refused) {
            if (refused.status() != Status.NOT_OPEN) {
                throw refused;
            }
            // The server has forgotten the lock, so the range is not locked any more.
        } finally {
            changing.unlock();
        }
        locks.unlocked(range);
    }

    @Override
    public void whenLockLost(Runnable action) {
        locks.whenLost(action);
    }

    /** Returns how often the server said that a lock may be free now. */
    long notices() {
        return locks.notices();
    }

    /** Hears that a lock may be free, if it is one of this owner. */
    void hear(CallbackArguments.NotifyLock notice) {
        if (notice.owner().name().equals(locks.owner().name())) {
            locks.hear();
        }
    }

    private Plan opening(OpenClaim claim) {
        return Plan.at(Nfs4Values.handle(handle))
                .open(
                        new StateArguments.Open(
                                0,
                                arguments.access(),
                                0,
                                arguments.owner(),
                                new OpenCreation.None(),
                                claim));
    }

    /** Takes note of an answer to OPEN; throws one that asks for another attempt. */
    private Nfs4Status decided(Results results, String what) throws IOException {
        var status = results.status();
        if (Event.ofOpen(status) == Event.DEFERRED) {
            throw new NfsException(what, Nfs4Values.status(status));
        }
        heard(
                status,
                status == Nfs4Status.OK
                        ? results.done(1).next(StateResult.Open.class).open()
                        : stateId,
                what);
        return status;
    }

    /** Opens the file once more, if the server has forgotten it. */
    private void openAgain(String what) throws IOException, InterruptedException {
        if (state() == OpenState.OPEN || state() == OpenState.BEFORE_RESTART) {
            return;
        }
        changing.lockInterruptibly();
        try {
            if (state() == OpenState.FORGOTTEN) {
                // A server may keep what it has revoked until then (RFC 8881, Section 18.38.3).
                session.run(Plan.EMPTY.free(newest()), what, Results::status);
                session.run(
                        opening(new OpenClaim.Handle()), what, results -> decided(results, what));
            }
            synchronized (this) {
                if (state == OpenState.LOST) {
                    throw NfsException.found(what, why.reason(), why.status());
                }
            }
        } finally {
            changing.unlock();
        }
    }

    /** Returns whether this is the first call of it. */
    private synchronized boolean isClosedNow() {
        boolean isFirst = !isClosed;
        isClosed = true;
        all.remove(this);
        return isFirst;
    }

    private synchronized Plan closing() {
        var plan = Plan.at(Nfs4Values.handle(handle));
        // A server may refuse to close a file that has locks (RFC 8881, Section 18.2.3).
        var unlocking = locks.unlocking(LockRange.ALL);
        return (unlocking.isPresent() ? plan.unlock(unlocking.get()) : plan).close(stateId);
    }

    /** Closes the file in one attempt, if it is open. Returns false if that failed. */
    boolean isClosedAtOnce() {
        return !isClosedNow() || session.part(closing(), "cannot close a file");
    }

    /** Leaves to the session to close the file at the server. */
    private void leave() {
        UnusedOpens.Unused unused;
        synchronized (this) {
            unused =
                    new UnusedOpens.Unused(
                            Nfs4Values.handle(handle),
                            arguments,
                            Optional.of(newest()),
                            state == OpenState.FORGOTTEN);
        }
        all.leave(session, unused);
    }

    @Override
    public void close() {
        if (!isClosedNow() || state() == OpenState.BEFORE_RESTART) {
            return;
        }
        boolean interrupted = Thread.interrupted();
        boolean isDone = false;
        try {
            if (state() == OpenState.OPEN) {
                session.run(closing(), "cannot close a file", Results::end);
                isDone = true;
            }
        } catch (IOException _) {
            // It is closed later.
        } catch (InterruptedException _) {
            interrupted = true;
        } finally {
            if (!isDone) {
                leave();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
