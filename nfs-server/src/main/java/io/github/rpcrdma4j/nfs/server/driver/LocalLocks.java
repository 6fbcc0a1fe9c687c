package io.github.rpcrdma4j.nfs.server.driver;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.state.event.KernelAnswer;
import io.github.rpcrdma4j.nfs.state.event.LockOutcome;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.range.ByteRange;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.state.range.RangeLock;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import io.github.rpcrdma4j.oncrpc.share.HostPermits;
import io.github.rpcrdma4j.oncrpc.share.HostPlace;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The locks of clients towards the processes of this machine. A file system that hangs holds up the
 * locks of its own files only. Thread-safe.
 *
 * <p>Tests: {@code HangingLocksTest}, {@code LockTest}.
 */
public final class LocalLocks {
    private static final System.Logger LOG = System.getLogger(LocalLocks.class.getName());

    /** How many tests there may be, for all hosts and for one: each may hold a thread. */
    private static final int TESTS_MAX = 256;

    private static final int TESTS_OF_HOST_MAX = 16;

    private final StateDriver state;
    private final Duration limit;
    private final FileQueues<LockedFile> files;

    /** The tests that wait or run. Its monitor guards it. */
    private final HostPermits tests = new HostPermits(TESTS_MAX, TESTS_OF_HOST_MAX);

    /** What each LOCK that waits for the kernel is owed. */
    private final Map<Long, CompletableFuture<Outcome<LockOutcome>>> asked =
            new ConcurrentHashMap<>();

    /**
     * @param limit how long a call waits for the file system, and how long the end of the server
     *     does
     */
    public LocalLocks(StateDriver state, Duration limit, FailureLog failures) {
        this.state = state;
        this.limit = limit;
        this.files = new FileQueues<>("nfs-locks", LockedFile::new, LockedFile::isOpen, failures);
    }

    /** Starts a change. The lock of the state is held, so that changes keep their order. */
    public void start(Action.KernelLock action) {
        switch (action) {
            case Action.AskLock ask -> {
                var answer = new CompletableFuture<Outcome<LockOutcome>>();
                asked.put(ask.number(), answer);
                files.add(ask.file(), file -> answer(file, ask, answer));
            }
            case Action.ReduceLock(var key, var left) ->
                    files.addIfNeeded(key, file -> file.reduce(left));
            case Action.ContinueReduction(var key) ->
                    files.addIfNeeded(
                            key,
                            _ -> state.happen((all, now) -> all.kernelLocks().reduce(key, now)));
            case Action.CloseLocks(var key) -> files.addIfNeeded(key, LockedFile::close);
        }
    }

    private void answer(
            LockedFile file, Action.AskLock ask, CompletableFuture<Outcome<LockOutcome>> waiting) {
        KernelAnswer answer = new KernelAnswer.Failed(Nfs4Status.SERVERFAULT);
        try {
            answer = file.lock(ask.type(), ask.range());
        } finally {
            var known = answer;
            try {
                waiting.complete(
                        state.happen(
                                (all, now) -> all.kernelLocks().answer(ask.number(), known, now)));
            } catch (RuntimeException | Error error) {
                waiting.completeExceptionally(error);
                throw error;
            }
        }
    }

    /**
     * Returns the outcome of a LOCK, after the kernel has answered if it was asked.
     *
     * @throws OperationFailure DELAY if the file system does not answer in time
     * @throws StoreException if this thread was interrupted
     */
    public Outcome<LockOutcome> completed(Outcome<LockOutcome> outcome)
            throws OperationFailure, StoreException {
        return outcome.value() instanceof LockOutcome.Asked(var number) ? outcome(number) : outcome;
    }

    /**
     * Returns what a LOCK is owed that the kernel was asked about. Its reply may have to wait for
     * storage.
     *
     * @throws OperationFailure DELAY if the file system does not answer in time
     * @throws StoreException if this thread was interrupted
     */
    private Outcome<LockOutcome> outcome(long number) throws OperationFailure, StoreException {
        var answer = asked.remove(number);
        Outcome<LockOutcome> outcome;
        try {
            outcome = await(answer);
        } catch (OperationFailure | StoreException late) {
            if (state.happen((all, now) -> all.kernelLocks().abandon(number, now)).value()) {
                throw late;
            }
            // The state has the answer, and this thread gets it at once.
            outcome = answer.join();
        }
        return outcome;
    }

    /**
     * Returns a lock of a local process that a lock of a client would meet.
     *
     * @param asker who asks
     * @throws OperationFailure DELAY if the file system does not answer, or has not answered many
     *     such questions
     * @throws StoreException if the file cannot be opened, or if this thread was interrupted
     */
    public Optional<RangeLock<StateOwner>> conflict(
            HostPlace asker, ExportedFile key, LockMode type, ByteRange range)
            throws OperationFailure, StoreException {
        var answer = new CompletableFuture<Found>();
        FileQueues.Work<LockedFile> work =
                file -> {
                    try {
                        answer.complete(new Found(file.conflict(type, range), null));
                    } catch (StoreException failure) {
                        answer.complete(new Found(Optional.empty(), failure));
                    } catch (RuntimeException | Error error) {
                        answer.completeExceptionally(error);
                    } finally {
                        giveBack(asker);
                    }
                };
        synchronized (tests) {
            if (!tests.take(asker)) {
                throw new OperationFailure(Nfs4Status.DELAY);
            }
        }
        files.add(key, work);
        var found = await(key, work, answer, () -> giveBack(asker));
        if (found.failure != null) {
            throw found.failure;
        }
        return found.lock;
    }

    /** A test has ended, or is not made any more. */
    private void giveBack(HostPlace asker) {
        synchronized (tests) {
            tests.giveBack(asker);
        }
    }

    private record Found(Optional<RangeLock<StateOwner>> lock, StoreException failure) {}

    /**
     * Waits until local processes see what has changed at a file so far; not for long if the file
     * system hangs.
     */
    public void settle(ExportedFile key) {
        files.settle(key, limit);
    }

    /**
     * Waits for work. What is not done in time, is not done.
     *
     * @param drop happens if the work is not done
     */
    private <T> T await(
            FileKey key,
            FileQueues.Work<LockedFile> work,
            CompletableFuture<T> answer,
            Runnable drop)
            throws OperationFailure, StoreException {
        try {
            return await(answer);
        } finally {
            if (files.remove(key, work)) {
                drop.run();
            }
        }
    }

    /** Closes all locks, and opens none any more. Does not wait long for those that hang. */
    public void closeAll() {
        var closed = new ArrayList<CompletableFuture<Void>>();
        for (var key : files.close()) {
            var end = new CompletableFuture<Void>();
            closed.add(end);
            boolean isNeeded =
                    files.addIfNeeded(
                            key,
                            file -> {
                                try {
                                    file.close();
                                } finally {
                                    end.complete(null);
                                }
                            });
            if (!isNeeded) {
                end.complete(null);
            }
        }
        try {
            CompletableFuture.allOf(closed.toArray(CompletableFuture[]::new))
                    .get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException _) {
            LOG.log(Level.WARNING, "a file system hangs; the locks of its files stay open");
        } catch (ExecutionException impossible) {
            throw new IllegalStateException(impossible);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private <T> T await(CompletableFuture<T> answer) throws OperationFailure, StoreException {
        try {
            return answer.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException _) {
            throw new OperationFailure(Nfs4Status.DELAY);
        } catch (ExecutionException impossible) {
            throw new IllegalStateException("an answer is a value", impossible);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new StoreException(Failure.AGAIN, "interrupted while the file system was asked");
        }
    }
}
