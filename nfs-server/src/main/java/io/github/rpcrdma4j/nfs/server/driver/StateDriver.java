package io.github.rpcrdma4j.nfs.server.driver;

import io.github.rpcrdma4j.nfs.server.served.CallTarget;
import io.github.rpcrdma4j.nfs.state.ClientUse;
import io.github.rpcrdma4j.nfs.state.ServerState;
import io.github.rpcrdma4j.nfs.state.SlotUse;
import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.event.StateIdUse;
import io.github.rpcrdma4j.nfs.state.limit.StateSettings;
import io.github.rpcrdma4j.nfs.store.Permission;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.oncrpc.spi.AttendedClock;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * The state of all clients behind one lock, with a clock and stable storage. Its thread lets time
 * pass and tells the state which connections have ended. Thread-safe.
 */
public final class StateDriver implements AutoCloseable {
    private static final long TICK_SECONDS = 1;

    /** How often an event may have to wait for storage. */
    private static final int TRIES_MAX = 3;

    /**
     * An event of the state.
     *
     * @param <T> the results
     */
    public interface Event<T> {
        /**
         * @param now the time in nanoseconds
         */
        Outcome<T> happen(ServerState state, long now);
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final ServerState state;
    private final AttendedClock clock;
    private final StoredActions storage;
    private final Connections connections;
    private final FailureLog failures;
    private final StateNotices notices;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread ticker;

    /** How much of {@link AttendedClock#missed} the state knows. Guarded by the lock. */
    private long missed;

    /** The grace period does not come back, so nobody asks the state from then on. */
    private volatile boolean isGraceOver;

    /** Carries out the actions that are not about storage; must not wait. Set once. */
    private volatile Consumer<Action> others = _ -> {};

    public StateDriver(
            StateSettings settings,
            ClientRecords records,
            Connections connections,
            StateNotices notices,
            FailureLog failures) {
        this(settings, records, connections, notices, failures, System::nanoTime);
    }

    /**
     * @param nanoTime the time of an ordinary clock, in nanoseconds
     */
    public StateDriver(
            StateSettings settings,
            ClientRecords records,
            Connections connections,
            StateNotices notices,
            FailureLog failures,
            LongSupplier nanoTime) {
        this.notices = notices;
        this.clock = new AttendedClock(nanoTime);
        var earlier = records.earlier();
        this.state = new ServerState(settings, earlier, clock.time());
        if (state.isGrace()) {
            notices.graceBegins(
                    Duration.ofNanos(settings.graceNanos()).toSeconds(), earlier.size());
        }
        this.storage = new StoredActions(records, failures, this::tell);
        this.connections = connections;
        // A client that has lost its connection learns by the first reply over the next one that it
        // cannot be called back. It may send nothing more for most of a lease.
        connections.onNew(this::forgetEnded);
        this.failures = failures;
        this.ticker = Thread.ofPlatform().name("nfs-leases").daemon().start(this::tick);
    }

    /** Sets what carries out the actions that are not about storage. */
    public void onAction(Consumer<Action> action) {
        others = action;
    }

    /** Returns whether clients may reclaim what they had before a restart. */
    public boolean isGrace() {
        if (!isGraceOver) {
            isGraceOver = !read((all, _) -> all.isGrace());
        }
        return !isGraceOver;
    }

    /**
     * Lets an event happen, once more if it has to wait for storage, and returns when all that its
     * reply waits for is there.
     *
     * @return the outcome
     * @throws OperationFailure DELAY if storage failed, or takes too long
     */
    public <T> Outcome<T> on(Event<T> event) throws OperationFailure {
        for (int i = 0; i < TRIES_MAX; i++) {
            var outcome = stored(happen(event));
            if (!outcome.isPostponed()) {
                return outcome;
            }
        }
        throw new OperationFailure(Nfs4Status.DELAY);
    }

    /**
     * Lets an event happen, as {@link #on} does, and returns its results. If storage fails, what
     * the event has granted is taken back: its client does not get it.
     *
     * @param takeBack makes the event that takes the results back
     * @throws OperationFailure if the status is not OK, or DELAY as above
     */
    public <T> T results(Event<T> event, Function<T, Event<Void>> takeBack)
            throws OperationFailure {
        for (int i = 0; i < TRIES_MAX; i++) {
            var outcome = happen(event);
            if (outcome.isPostponed()) {
                stored(outcome);
            } else if (!outcome.isOk()) {
                throw new OperationFailure(outcome.status());
            } else {
                stored(outcome, takeBack.apply(outcome.value()));
                return outcome.value();
            }
        }
        throw new OperationFailure(Nfs4Status.DELAY);
    }

    /**
     * Returns when all that a reply waits for is there.
     *
     * @param takeBack takes back what was granted, if it is not to be there
     * @throws OperationFailure DELAY if storage failed, or takes too long
     */
    public void stored(Outcome<?> outcome, Event<Void> takeBack) throws OperationFailure {
        boolean isStored = false;
        try {
            stored(outcome);
            isStored = true;
        } finally {
            if (!isStored) {
                happen(takeBack);
            }
        }
    }

    /**
     * Returns an outcome when all that its reply waits for is there.
     *
     * @throws OperationFailure DELAY if storage failed, or takes too long
     */
    public <T> Outcome<T> stored(Outcome<T> outcome) throws OperationFailure {
        if (outcome.after() > 0) {
            storage.await(outcome.after(), outcome.place());
        }
        return outcome;
    }

    /**
     * Ends a COMPOUND, as {@link ServerState#finish} does. Its reply waits for nothing more; what
     * time has brought is carried out.
     */
    public void finish(SlotUse use, byte[] kept) {
        happen((all, now) -> all.finish(use, kept, now));
    }

    /** Tells the state what became of a change of a record. */
    private void tell(Action.Storage change, StoredActions.End end) {
        read(
                (all, _) -> {
                    switch (end) {
                        case DONE -> all.recordChanged(change.number());
                        case REFUSED -> all.recordFailed(change.number(), false);
                        case FAILED -> all.recordFailed(change.number(), true);
                    }
                    return null;
                });
    }

    /**
     * Lets an event happen, as {@link #on} does, and returns its results.
     *
     * @throws OperationFailure if the status is not OK
     */
    public <T> T results(Event<T> event) throws OperationFailure {
        var outcome = on(event);
        if (!outcome.isOk()) {
            throw new OperationFailure(outcome.status());
        }
        return outcome.value();
    }

    /**
     * Checks that a client may use a file by a stateid. The operation itself checks the rights of
     * the user, as the stateid gives none.
     *
     * @param id stands for no other stateid
     * @throws OperationFailure if it may not
     */
    public void requireUse(ClientUse client, CallTarget file, StateId id, StateIdUse use)
            throws OperationFailure, StoreException {
        if (isOfNoOpen(id)) {
            // No open has checked the rights of anybody: without rights nobody recalls delegations,
            // or learns who has the file open.
            requireRight(file, use);
        }
        var key = RegularFiles.key(file);
        results((all, now) -> all.check(client, key, id, use, now));
    }

    /**
     * Checks that a client may use a file by a stateid, and that the user of the call may: for
     * operations that do not always ask for the right, or for less of it.
     *
     * @param id stands for no other stateid
     * @throws OperationFailure if the client may not
     */
    public void requireUseByUser(ClientUse client, CallTarget file, StateId id, StateIdUse use)
            throws OperationFailure, StoreException {
        requireUse(client, file, id, use);
        if (!isOfNoOpen(id)) {
            requireRight(file, use);
        }
    }

    private static boolean isOfNoOpen(StateId id) {
        return id.equals(StateId.ANONYMOUS) || id.equals(StateId.READ_BYPASS);
    }

    private static void requireRight(CallTarget file, StateIdUse use) throws StoreException {
        var permission =
                switch (use) {
                    case READ -> Permission.READ;
                    case WRITE, RESIZE -> Permission.WRITE;
                };
        file.node().require(file.caller(), permission);
    }

    /** Lets an event happen, and waits for nothing. */
    public <T> Outcome<T> happen(Event<T> event) {
        var outcome = happenLocked(event);
        try {
            notices.tell(outcome.actions());
        } catch (RuntimeException | Error error) {
            failures.report("the news of clients could not be told", error);
        }
        return outcome;
    }

    private <T> Outcome<T> happenLocked(Event<T> event) {
        lock.lock();
        try {
            var outcome = event.happen(state, now());
            for (var action : outcome.actions()) {
                start(action);
            }
            return outcome;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the time of the state. The lock is held. */
    private long now() {
        long now = clock.time();
        long pause = clock.missed() - missed;
        if (pause > 0) {
            missed += pause;
            state.paused(pause);
        }
        return now;
    }

    /** Starts an action; if that fails, the event still has its outcome, and its other actions. */
    private void start(Action action) {
        switch (action) {
            case Action.Storage change -> storage.add(change);
            case Action.KernelLock _, Action.KernelLease _, Action.CloseFile _ ->
                    startOther(action);
            case Action.Notice _, Action.AwaitCall _ -> {}
            case Action.Call _, Action.OfferLock _ -> startOther(action);
        }
    }

    private void startOther(Action action) {
        try {
            others.accept(action);
        } catch (RuntimeException | Error error) {
            failures.report("an action of the state of clients could not be started", error);
        }
    }

    /** Reads the state under its lock. For questions that have no actions. */
    public <T> T read(BiFunction<ServerState, Long, T> question) {
        lock.lock();
        try {
            return question.apply(state, now());
        } finally {
            lock.unlock();
        }
    }

    /** Tells the state which connections have ended. */
    private void forgetEnded() {
        try {
            for (var each : connections.removeEnded()) {
                happen((all, now) -> all.connectionEnded(each, now));
            }
        } catch (RuntimeException | Error error) {
            failures.report("connections that have ended could not be forgotten", error);
        }
    }

    private void tick() {
        try {
            while (!closed.await(TICK_SECONDS, TimeUnit.SECONDS)) {
                try {
                    forgetEnded();
                    happen(ServerState::tick);
                } catch (RuntimeException | Error error) {
                    failures.report("an internal error in the state of clients", error);
                }
            }
        } catch (InterruptedException _) {
            // The thread belongs to this object, so an interrupt ends it.
        }
    }

    @Override
    public void close() {
        closed.countDown();
        ticker.interrupt();
        storage.close();
    }
}
