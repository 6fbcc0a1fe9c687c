package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.server.state.Action;
import io.github.rpcrdma4j.nfs.server.state.HostPermits;
import io.github.rpcrdma4j.nfs.server.state.HostPlace;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;

/**
 * The changes of client records that are still to be carried out, in their order. A thread of its
 * own carries them out, so storage that hangs holds up only the calls that need it, and those not
 * for ever. Thread-safe.
 *
 * <p>A record that cannot be written is given up. A removal that fails is kept, and tried every
 * second; no record is written meanwhile, because it might have to be removed. The state orders few
 * records at a time, and no removal without a record, so few changes wait.
 */
final class StoredActions implements AutoCloseable {
    /** What became of a record. */
    enum End {
        WRITTEN,
        /** It was not tried. */
        REFUSED,
        /** It failed; a part of it may have reached storage. */
        FAILED
    }

    /** How long a call waits. */
    private static final Duration WAIT = Duration.ofSeconds(5);

    /** How many calls wait, for all hosts and for one: they hold threads that others need. */
    private static final int CALLS_MAX = 256;

    private static final int CALLS_OF_HOST_MAX = CALLS_MAX / 4;

    private static final HostPlace ADMINISTRATOR = new HostPlace(null, "");

    private static final long RETRY_NANOS = Duration.ofSeconds(1).toNanos();

    private final ClientRecords records;
    private final FailureLog failures;
    private final BiConsumer<Action.Persist, End> listener;
    private final Duration wait;

    /** Guards all fields below. It is never held during a change or while the listener runs. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition isChanged = lock.newCondition();
    private final Condition isDone = lock.newCondition();
    private final ArrayDeque<Action.Storage> waiting = new ArrayDeque<>();

    /** The removals that have failed so far, in their order. */
    private final ArrayDeque<Action.Storage> failed = new ArrayDeque<>();

    /** When the first of them is tried again, in nanoseconds. */
    private long retry;

    /** Whether the last change that was carried out has failed. Only the thread uses it. */
    private boolean isFailing;

    /** The last change that was tried. */
    private long tried;

    private final HostPermits calls = new HostPermits(CALLS_MAX, CALLS_OF_HOST_MAX);
    private boolean isClosed;
    private final Thread thread;

    /**
     * @param listener learns what became of each record, before those who wait for it
     */
    StoredActions(
            ClientRecords records, FailureLog failures, BiConsumer<Action.Persist, End> listener) {
        this(records, failures, listener, WAIT);
    }

    /**
     * @param wait how long a call waits
     */
    StoredActions(
            ClientRecords records,
            FailureLog failures,
            BiConsumer<Action.Persist, End> listener,
            Duration wait) {
        this.wait = wait;
        this.records = records;
        this.failures = failures;
        this.listener = listener;
        this.thread = Thread.ofPlatform().name("nfs-records").daemon().start(this::run);
    }

    /** Adds a change, without waiting; the caller makes sure that numbers ascend. */
    void add(Action.Storage action) {
        lock.lock();
        try {
            waiting.addLast(action);
            isChanged.signal();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns when a change was tried, and all removals before it are on storage.
     *
     * @param place who waits; null for an administrator
     * @throws OperationFailure DELAY if a removal has failed, if storage takes too long, or if too
     *     many calls wait
     */
    void await(long number, HostPlace place) throws OperationFailure {
        lock.lock();
        try {
            if (tried < number) {
                awaitTried(number, place == null ? ADMINISTRATOR : place);
            }
            if (!failed.isEmpty() && failed.getFirst().number() <= number) {
                throw new OperationFailure(Nfs4Status.DELAY);
            }
        } finally {
            lock.unlock();
        }
    }

    private void awaitTried(long number, HostPlace place) throws OperationFailure {
        if (!calls.take(place)) {
            throw new OperationFailure(Nfs4Status.DELAY);
        }
        try {
            long left = wait.toNanos();
            while (tried < number && left > 0 && !isClosed) {
                left = isDone.awaitNanos(left);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } finally {
            calls.giveBack(place);
        }
        if (tried < number) {
            if (!isClosed) {
                warn("storage has not answered for " + wait.toSeconds() + " s");
            }
            throw new OperationFailure(Nfs4Status.DELAY);
        }
    }

    private void warn(String reason) {
        failures.warn(
                "the records of NFS clients cannot be changed, so new clients and some opens wait",
                reason + " (look whether " + records.place() + " is writable and has room)");
    }

    private void run() {
        try {
            while (true) {
                var next = next();
                if (next == null) {
                    return;
                }
                carryOut(next);
            }
        } catch (InterruptedException _) {
            // The thread belongs to this object, so an interrupt ends it.
        }
    }

    /** Returns the next change: a removal that failed, after a while; null at the end. */
    private Action.Storage next() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!isClosed) {
                long left = failed.isEmpty() ? RETRY_NANOS : retry - System.nanoTime();
                if (left <= 0) {
                    return failed.getFirst();
                }
                if (!waiting.isEmpty()) {
                    return waiting.getFirst();
                }
                if (failed.isEmpty()) {
                    isChanged.await();
                } else {
                    isChanged.awaitNanos(left);
                }
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    private void carryOut(Action.Storage change) {
        var end = isHeldUp(change) ? End.REFUSED : attempt(change);
        if (change instanceof Action.Persist record) {
            tell(record, end);
        }
        lock.lock();
        try {
            if (change.number() > tried) {
                tried = change.number();
                waiting.removeFirst();
                if (end != End.WRITTEN && !(change instanceof Action.Persist)) {
                    failed.addLast(change);
                    retry = System.nanoTime() + RETRY_NANOS;
                }
            } else if (end == End.WRITTEN) {
                failed.removeFirst();
            } else {
                retry = System.nanoTime() + RETRY_NANOS;
            }
            isDone.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void tell(Action.Persist record, End end) {
        try {
            listener.accept(record, end);
        } catch (RuntimeException | Error error) {
            failures.report("an internal error in the state of clients", error);
        }
    }

    /** Returns whether a record is not to be written, because removals fail. */
    private boolean isHeldUp(Action.Storage change) {
        lock.lock();
        try {
            return change instanceof Action.Persist && !failed.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    private End attempt(Action.Storage change) {
        try {
            switch (change) {
                case Action.Persist(_, var client) -> records.persist(client);
                case Action.Forget(_, var client) -> records.forget(client);
                case Action.ForgetEarlier _ -> records.forgetEarlier();
            }
            if (isFailing) {
                isFailing = false;
                failures.warn("the records of NFS clients can be changed again", records.place());
            }
            return End.WRITTEN;
        } catch (IOException failure) {
            isFailing = true;
            warn(String.valueOf(failure.getMessage()));
            return End.FAILED;
        } catch (RuntimeException | Error error) {
            failures.report("an internal error in the records of clients", error);
            return End.FAILED;
        }
    }

    /** Stops the thread when a change in progress has ended. */
    @Override
    public void close() {
        lock.lock();
        try {
            isClosed = true;
            isChanged.signalAll();
            isDone.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
