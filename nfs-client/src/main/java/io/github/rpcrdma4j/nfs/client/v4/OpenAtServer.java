package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.LockLostException;
import io.github.rpcrdma4j.nfs.client.service.LockRange;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.client.service.Waits;
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
 * A file that is open at the server: what the server knows of it, its locks, and what to do when
 * the server has forgotten either. A minor version says how the calls are made. Thread-safe.
 *
 * <p>Tests: {@code LostStateTest}, {@code FileLocksTest}.
 */
abstract class OpenAtServer implements UsedFile {
    private static final String FORGOTTEN =
            "the server has forgotten it, or an administrator ended it";

    /** For the message of a failure. */
    static final String CLOSING = "cannot close a file";

    /** The first pause between two attempts to lock; each further one is twice as long. */
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long PAUSE_NANOS_MAX = TimeUnit.SECONDS.toNanos(30);

    private final SessionThreads threads;
    private final Waits waits;
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

    /**
     * @param arguments of its OPEN
     * @param stateId as OPEN told it
     */
    OpenAtServer(
            CompoundCalls calls,
            FileHandle handle,
            StateArguments.Open arguments,
            StateId stateId) {
        this.threads = calls.threads();
        this.waits = calls.waits();
        this.handle = handle;
        this.arguments = arguments;
        this.stateId = stateId;
        this.locks = new LocksOfOpen(arguments.owner(), this::sent, threads);
    }

    /** Returns what calls send for a stateid that the server has told. */
    abstract StateId sent(StateId told);

    /** Makes a call that changes what is open or locked, in the order that the server wants. */
    abstract <T> T inOrder(Planning planning, String what, CompoundCalls.Decoding<T> decoding)
            throws IOException, InterruptedException;

    /**
     * Opens the file once more, which the server has forgotten, and takes note of the answer by
     * {@link #heard}. One thread does it.
     */
    abstract void openOnceMore(String what) throws IOException, InterruptedException;

    /** Finds out whether the server still knows the locks, if that is in doubt. */
    abstract void beforeUse(StateId ofLocks, String what) throws IOException, InterruptedException;

    /** Lets the keeper of the client unlock what only the server may have locked. */
    abstract void tidyUp();

    /** Returns whether an earlier call may still change the file, so that a plan has to wait. */
    abstract boolean isHeldUp(Plan plan);

    /** Hears that the file is closed here. */
    abstract void closedHere();

    /**
     * Hears that the file is closed at the server, as far as this side knows.
     *
     * @param hadLocks whether it may have had locks
     */
    abstract void closedAtServer(boolean hadLocks) throws IOException, InterruptedException;

    /**
     * Leaves it to the keeper of the client to close the file at the server.
     *
     * @param mayBeOpen whether the server has forgotten the open, and it may be open once more
     */
    abstract void leave(StateId open, boolean mayBeOpen);

    @Override
    public FileHandle handle() {
        return handle;
    }

    /** Returns the arguments of its OPEN. */
    StateArguments.Open arguments() {
        return arguments;
    }

    /** Returns its locks. */
    LocksOfOpen locks() {
        return locks;
    }

    /** Returns the number of its owner, which is that of no other open file of the client. */
    long number() {
        return ByteBuffer.wrap(arguments.owner().name().bytes()).getLong();
    }

    @Override
    public Planning use(String what, Function<StateId, Plan> plan) {
        return new FileUse(List.of(this), what, stateIds -> plan.apply(stateIds.getFirst()));
    }

    /**
     * Returns the stateid of the locks, or of the open if there are none. Opens the file once more
     * if the server has forgotten it.
     */
    StateId usable(String what) throws IOException, InterruptedException {
        locks.requireKept(what);
        openAgain(what);
        var ofLocks = locks.stateId();
        if (ofLocks.isPresent()) {
            beforeUse(ofLocks.get(), what);
            locks.requireKept(what);
        }
        return locks.stateId().orElse(newest());
    }

    /** Returns whether the file cannot be opened any more. */
    boolean isLost() {
        return state() == OpenState.LOST;
    }

    /** Returns a stateid that means the newest one of the open. */
    synchronized StateId newest() {
        return sent(stateId);
    }

    /** Returns the stateids of the open and of its locks. */
    List<StateId> stateIds() {
        return Stream.concat(Stream.of(newest()), locks.stateId().stream()).toList();
    }

    /** Hears that the server has forgotten its clients. */
    synchronized void forgotten(boolean canClaim) {
        state = state.after(canClaim ? Event.RESTARTED : Event.REVOKED);
        locks.forgetLate();
        if (state.isToClaim()) {
            locks.restarted();
        } else {
            locks.lost(FORGOTTEN);
        }
    }

    /** Hears that the server does not know a stateid: that of the open or of its locks. */
    synchronized void revoked(StateId unknown) {
        if (newest().equals(unknown) || locks.stateId().equals(Optional.of(unknown))) {
            state = state.after(Event.REVOKED);
            if (!state.isToClaim()) {
                locks.lost(FORGOTTEN);
            }
        }
    }

    final synchronized OpenState state() {
        return state;
    }

    /** Takes note of an answer to OPEN. */
    final synchronized void heard(Nfs4Status status, StateId opened, String what) {
        state = state.after(Event.ofOpen(status));
        switch (state) {
            case OPEN -> stateId = opened;
            case LOST -> setWhy(Nfs4Values.status(status).description(), what);
            case BEFORE_RESTART, MAYBE_CLAIMED, FORGOTTEN -> {}
        }
    }

    /** Takes note that the file cannot be opened once more. */
    final synchronized void refused(String reason, String what) {
        state = state.after(Event.REFUSED);
        setWhy(reason, what);
    }

    private void setWhy(String reason, String what) {
        why =
                NfsException.found(
                        what,
                        "the server has forgotten that it is open, and does not open it again: "
                                + reason,
                        Status.NOT_OPEN);
    }

    /** Claims the open and its locks, as far as they are of before a restart. */
    void claim(RecoveryCalls calls) throws IOException, InterruptedException {
        if (state().isToClaim() && !isClaimed(calls)) {
            return;
        }
        if (state() == OpenState.OPEN) {
            locks.claim(Plan.at(Nfs4Values.handle(handle)), newest(), calls);
        } else {
            locks.lost("the server has restarted, and takes no claim of the file");
        }
    }

    /** Claims the open. Returns false if the file is closed here by now. */
    private boolean isClaimed(RecoveryCalls calls) throws IOException, InterruptedException {
        // As it was opened without a delegation.
        var plan = opening(new OpenClaim.Previous(0));
        var what = "cannot claim an open file";
        try {
            calls.run(plan, what, results -> decided(results, what));
        } catch (NfsException _) {
            // The server was busy for too long: no claim is made behind the last one.
            heard(Nfs4Status.NO_GRACE, newest(), what);
        } finally {
            claimEnded();
        }
        return !isClosed();
    }

    /** Leaves a file to the keeper that was closed here before the end of a claim. */
    private void claimEnded() {
        synchronized (this) {
            // What has no answer may be done.
            state = state.isToClaim() ? state.after(Event.UNANSWERED) : state;
        }
        if (isClosed()) {
            leave();
        }
    }

    private synchronized boolean isClosed() {
        return isClosed;
    }

    private Plan locking(LockArguments.Lock arguments) {
        return Plan.at(Nfs4Values.handle(handle)).lock(arguments);
    }

    @Override
    public boolean lock(LockRange range, boolean isExclusive, Duration wait, String what)
            throws IOException, InterruptedException {
        long deadline =
                threads.nanoTime()
                        + Math.min(TimeUnit.NANOSECONDS.convert(wait), Long.MAX_VALUE / 2);
        long pause = PAUSE_NANOS;
        long notices = locks.notices();
        try (var waiting = waits.ofCall()) {
            while (!isLocked(range, isExclusive, !wait.isZero(), what)) {
                long left = deadline - threads.nanoTime();
                if (left <= 0) {
                    return false;
                }
                waiting.on(Waits.Reason.LOCK);
                // A server may forget to say that the lock is free.
                if (!locks.awaitNotice(notices, Math.min(pause, left))) {
                    pause = Math.min(2 * pause, PAUSE_NANOS_MAX);
                }
                notices = locks.notices();
            }
            return true;
        }
    }

    private boolean isLocked(LockRange range, boolean isExclusive, boolean isWaiting, String what)
            throws IOException, InterruptedException {
        Function<StateId, Plan> plan =
                _ -> locking(locks.locking(range, isExclusive, isWaiting, newest()));
        return alone(
                () ->
                        inOrder(
                                use(what, plan),
                                what,
                                results -> {
                                    var locked = results.lock();
                                    locked.ifPresent(
                                            each -> locks.granted(range, isExclusive, each));
                                    return locked.isPresent();
                                }),
                () -> locks.mayBeLocked(range, isExclusive));
    }

    /**
     * Makes a call that changes locks, while no other one does. If nobody knows what became of it,
     * the keeper unlocks later what it may have locked.
     */
    private <T> T alone(OpenFiles.Opening<T> call, Runnable ifUnknown)
            throws IOException, InterruptedException {
        boolean isKnown = false;
        changing.lockInterruptibly();
        try {
            var result = call.run();
            isKnown = true;
            return result;
        } catch (NfsException | LockLostException refused) {
            isKnown = true;
            throw refused;
        } finally {
            if (!isKnown) {
                ifUnknown.run();
                tidyUp();
            }
            changing.unlock();
        }
    }

    /** Unlocks what only the server may have locked. Returns whether nothing is left. */
    boolean isSettled(RecoveryCalls calls) throws IOException, InterruptedException {
        if (locks.late().isEmpty()) {
            return true;
        }
        if (!changing.tryLock()) {
            return false;
        }
        try {
            return new LateLocks(Nfs4Values.handle(handle), locks).areUnlocked(newest(), calls);
        } finally {
            changing.unlock();
        }
    }

    @Override
    public void unlock(LockRange range, String what) throws IOException, InterruptedException {
        try {
            alone(
                    () -> inOrder(new Unlocking(this, locks, range, what), what, this::unlocked),
                    () -> locks.mayBeUnlocked(range));
        } catch (NfsException refused) {
            if (refused.status() != Status.NOT_OPEN) {
                throw refused;
            }
            // The server has forgotten the lock, so the range is not locked any more.
        }
        locks.unlocked(range);
    }

    private Results unlocked(Results results) throws IOException {
        locks.changed(results.done(1).next(LockResult.LockU.class).lock());
        return results;
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

    final Plan opening(OpenClaim claim) {
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
    final Nfs4Status decided(Results results, String what) throws IOException {
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
        if (state() == OpenState.OPEN || state().isToClaim()) {
            return;
        }
        changing.lockInterruptibly();
        try {
            if (state() == OpenState.FORGOTTEN) {
                openOnceMore(what);
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

    /** Takes note of the first close. Returns what the server knew then; empty for another one. */
    private synchronized Optional<OpenState> closed() {
        var now = isClosed ? Optional.<OpenState>empty() : Optional.of(state);
        isClosed = true;
        closedHere();
        return now;
    }

    final synchronized Plan closing() {
        var plan = Plan.at(Nfs4Values.handle(handle));
        // A server may refuse to close a file that has locks (RFC 8881, Section 18.2.3).
        var unlocking = locks.unlocking(LockRange.ALL);
        return (unlocking.isPresent() && locks.isUsed() ? plan.unlock(unlocking.get()) : plan)
                .close(stateId);
    }

    /** Makes one attempt to close the file at the server, for a short time. */
    abstract void part(Plan closing) throws IOException, InterruptedException;

    /** Closes the file in one attempt, if it is open. Returns false if that failed. */
    boolean isClosedAtOnce() {
        return closed().isEmpty() || LastAttempt.succeeds(() -> part(closing()));
    }

    private void leave() {
        leave(newest(), state() == OpenState.FORGOTTEN || state() == OpenState.MAYBE_CLAIMED);
    }

    @Override
    public void close() {
        var known = closed();
        // What a claim finds closed here is closed behind it.
        if (known.isEmpty() || known.get() == OpenState.BEFORE_RESTART) {
            return;
        }
        boolean interrupted = Thread.interrupted();
        boolean isDone = false;
        try {
            if (known.get() == OpenState.OPEN && !isHeldUp(closing())) {
                inOrder(this::closing, CLOSING, locks::closed);
                isDone = true;
                closedAtServer(locks.isUsed());
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
