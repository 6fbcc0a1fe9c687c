package io.github.rpcrdma4j.nfs.server.driver;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.ClientName;
import io.github.rpcrdma4j.nfs.state.event.ClientRecord;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.oncrpc.share.HostPermits;
import io.github.rpcrdma4j.oncrpc.share.HostPlace;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;

/**
 * Carries out the changes of client records, in the order of a {@link StorageQueue}. A thread of
 * its own does so, so storage that hangs holds up only the calls that need it, and those not for
 * ever. Changes of a round are carried out together, so many take little longer than one.
 * Thread-safe.
 *
 * <p>A record that cannot be written is given up. A removal that fails is kept, and tried every
 * second; no record is written meanwhile, because it might have to be removed. The state orders few
 * records at a time, and no removal without a record, so few changes wait.
 */
final class StoredActions implements AutoCloseable {
    /** What became of a change. */
    enum End {
        /** It is on storage. */
        DONE,
        /** It was not tried. */
        REFUSED,
        /** It failed; a part of it may have reached storage. */
        FAILED
    }

    /** A change of storage. */
    private interface Change {
        void carryOut() throws IOException;
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
    private final BiConsumer<Action.Storage, End> listener;
    private final Duration wait;

    /** Guards all fields below. It is never held during a change or while the listener runs. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition isChanged = lock.newCondition();
    private final Condition isDone = lock.newCondition();
    private final StorageQueue queue = new StorageQueue();

    /** When the removals that have failed so far are tried again, in nanoseconds. */
    private long retry;

    /** When a change was last carried out, in nanoseconds. */
    private long answered = System.nanoTime();

    /** Whether the last change that was carried out has failed. Only the thread uses it. */
    private boolean isFailing;

    private final HostPermits calls = new HostPermits(CALLS_MAX, CALLS_OF_HOST_MAX);
    private boolean isClosed;
    private final Thread thread;

    /**
     * @param listener learns what became of each record and each removal that was carried out,
     *     before those who wait for it
     */
    StoredActions(
            ClientRecords records, FailureLog failures, BiConsumer<Action.Storage, End> listener) {
        this(records, failures, listener, WAIT);
    }

    /**
     * @param wait how long a call waits
     */
    StoredActions(
            ClientRecords records,
            FailureLog failures,
            BiConsumer<Action.Storage, End> listener,
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
            queue.add(action);
            isChanged.signal();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns when a change was tried, with the records of its place before it, and all removals
     * before it are on storage.
     *
     * @param place who waits; null for an administrator
     * @throws OperationFailure DELAY if a removal has failed, if storage takes too long, or if too
     *     many calls wait
     */
    void await(long number, HostPlace place) throws OperationFailure {
        lock.lock();
        try {
            var waiting = place == null ? ADMINISTRATOR : place;
            if (!queue.isTried(number, waiting)) {
                awaitTried(number, waiting);
            }
            if (queue.hasFailed(number)) {
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
            while (!queue.isTried(number, place) && left > 0 && !isClosed) {
                left = isDone.awaitNanos(left);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } finally {
            calls.giveBack(place);
        }
        if (!queue.isTried(number, place)) {
            if (!isClosed) {
                warnOfWait();
            }
            throw new OperationFailure(Nfs4Status.DELAY);
        }
    }

    private void warnOfWait() {
        boolean isSlow = System.nanoTime() - answered < wait.toNanos();
        var what = isSlow ? "storage takes long" : "storage has not answered";
        warn(what + " for " + wait.toSeconds() + " s: " + queue.waiting());
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
                next.run();
            }
        } catch (InterruptedException _) {
            // The thread belongs to this object, so an interrupt ends it.
        }
    }

    /** Returns what is done next: removals that failed, after a while; null at the end. */
    private Runnable next() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!isClosed) {
                long left = queue.hasFailed() ? retry - System.nanoTime() : RETRY_NANOS;
                if (left <= 0) {
                    var failed = queue.failed();
                    return () -> remove(failed);
                }
                if (!queue.isIdle()) {
                    var round = queue.next();
                    return () -> carryOut(round);
                }
                if (queue.hasFailed()) {
                    isChanged.awaitNanos(left);
                } else {
                    isChanged.await();
                }
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    private void carryOut(StorageQueue.Round round) {
        end(round.replaced(), End.REFUSED);
        if (!round.removals().isEmpty()) {
            remove(round.removals());
        }
        if (round.earlier() != null) {
            remove(List.of(round.earlier()));
        }
        if (!round.records().isEmpty()) {
            write(round.records());
        }
    }

    /**
     * Removes records together; if that fails, one by one until one fails. The others wait for that
     * one: a call that waits for them waits for it, too.
     */
    private void remove(List<? extends Action.Storage> removals) {
        if (removals.size() > 1 && succeeds(() -> removeAll(removals))) {
            end(removals, End.DONE);
            return;
        }
        for (int i = 0; i < removals.size(); i++) {
            var one = removals.subList(i, i + 1);
            if (attempt(() -> removeAll(one)) != End.DONE) {
                fail(removals.subList(i, removals.size()));
                return;
            }
            end(one, End.DONE);
        }
    }

    private void removeAll(List<? extends Action.Storage> removals) throws IOException {
        var removed = new LinkedHashMap<ClientName, Action.Forget>();
        boolean isOfEarlier = false;
        for (var each : removals) {
            switch (each) {
                case Action.Forget removal -> removed.put(removal.client(), removal);
                case Action.ForgetEarlier _ -> isOfEarlier = true;
                case Action.Persist _ -> throw new IllegalArgumentException("no removal");
            }
        }
        if (!removed.isEmpty()) {
            remove(removed);
        }
        if (isOfEarlier) {
            records.forgetEarlier();
        }
    }

    /** What is to replace a record and cannot be written leaves none: no client reclaims then. */
    private void remove(Map<ClientName, Action.Forget> removals) throws IOException {
        var names = new ArrayList<>(removals.keySet());
        var revoked =
                removals.values().stream()
                        .map(Action.Forget::revoked)
                        .filter(Objects::nonNull)
                        .toList();
        boolean areTogether = revoked.size() > 1 && succeeds(() -> records.revoke(revoked));
        for (var each : revoked) {
            var one = List.of(each);
            if (areTogether || attempt(() -> records.revoke(one)) == End.DONE) {
                names.remove(each.name());
            }
        }
        if (!names.isEmpty()) {
            records.forget(names);
        }
    }

    /** Writes records together; if that fails, each alone. */
    private void write(List<Action.Persist> round) {
        if (isHeldUp()) {
            end(round, End.REFUSED);
        } else if (round.size() > 1 && succeeds(() -> records.persist(clients(round)))) {
            end(round, End.DONE);
        } else {
            for (var each : round) {
                var one = List.of(each);
                end(one, attempt(() -> records.persist(clients(one))));
            }
        }
    }

    private static List<ClientRecord> clients(List<Action.Persist> round) {
        return round.stream().map(Action.Persist::client).toList();
    }

    private void end(List<? extends Action.Storage> changes, End end) {
        for (var each : changes) {
            tell(each, end);
        }
        lock.lock();
        try {
            changes.forEach(queue::ended);
            answered = System.nanoTime();
            isDone.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void fail(List<? extends Action.Storage> removals) {
        lock.lock();
        try {
            removals.forEach(queue::failed);
            retry = System.nanoTime() + RETRY_NANOS;
            answered = System.nanoTime();
            isDone.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void tell(Action.Storage change, End end) {
        try {
            listener.accept(change, end);
        } catch (RuntimeException | Error error) {
            failures.report("an internal error in the state of clients", error);
        }
    }

    /** Returns whether no record is to be written, because removals fail. */
    private boolean isHeldUp() {
        lock.lock();
        try {
            return queue.hasFailed();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether a change of many records succeeds. If not, each of them tells why. */
    private boolean succeeds(Change change) {
        try {
            change.carryOut();
            succeeded();
            return true;
        } catch (IOException | RuntimeException | Error _) {
            return false;
        }
    }

    private End attempt(Change change) {
        try {
            change.carryOut();
            succeeded();
            return End.DONE;
        } catch (IOException failure) {
            isFailing = true;
            warn(String.valueOf(failure.getMessage()));
            return End.FAILED;
        } catch (RuntimeException | Error error) {
            failures.report("an internal error in the records of clients", error);
            return End.FAILED;
        }
    }

    private void succeeded() {
        if (isFailing) {
            isFailing = false;
            failures.warn("the records of NFS clients can be changed again", records.place());
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
