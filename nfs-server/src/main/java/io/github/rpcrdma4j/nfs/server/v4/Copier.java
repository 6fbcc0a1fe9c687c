package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.server.driver.DelegatedFiles;
import io.github.rpcrdma4j.nfs.server.driver.ExportedFile;
import io.github.rpcrdma4j.nfs.server.driver.OperationFailure;
import io.github.rpcrdma4j.nfs.server.driver.RegularFiles;
import io.github.rpcrdma4j.nfs.server.driver.StateDriver;
import io.github.rpcrdma4j.nfs.server.driver.Statuses;
import io.github.rpcrdma4j.nfs.server.served.CallTarget;
import io.github.rpcrdma4j.nfs.server.served.Client;
import io.github.rpcrdma4j.nfs.server.served.Exports;
import io.github.rpcrdma4j.nfs.server.served.Exports.OpenExport;
import io.github.rpcrdma4j.nfs.server.served.FileGuard;
import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.state.BegunCopy;
import io.github.rpcrdma4j.nfs.state.event.CopyCall;
import io.github.rpcrdma4j.nfs.state.event.CopyEnd;
import io.github.rpcrdma4j.nfs.state.event.StateIdUse;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.Node.Written;
import io.github.rpcrdma4j.nfs.store.OptionalOperations.Place;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Carries out what is left of asynchronous COPY operations after their replies (RFC 7862, Section
 * 15.2), on a few threads for each export. So a file system that hangs holds up its own copies
 * only. A thread copies a few MiB of one copy, then of the next. Each part is checked anew as COPY
 * is: the rule of the export, the stateids, delegations of others. So a copy ends when its client
 * closes one of the files. Thread-safe.
 *
 * <p>Tests: {@code AsyncCopyTest}.
 */
final class Copier implements AutoCloseable {
    /** The threads of an export. */
    private static final int THREADS = 2;

    private static final long IDLE_SECONDS = 30;

    /** How long a copy waits that cannot go on now, for example because of a delegation. */
    private static final Duration PAUSE = Duration.ofMillis(200);

    private static final Duration CLOSE_TIME = Duration.ofSeconds(3);

    /** How long OFFLOAD_CANCEL waits for the part that is being copied. */
    private static final Duration CANCEL_TIME = Duration.ofSeconds(3);

    private final Exports exports;
    private final StateDriver state;
    private final DelegatedFiles delegated;
    private final ChangeCounter changes;
    private final FailureLog failures;
    private final long pausesMax;
    private final Map<FileStore, ScheduledThreadPoolExecutor> threads = new ConcurrentHashMap<>();

    /** The copies that go on, by number. */
    private final Map<Long, Running> copies = new ConcurrentHashMap<>();

    /**
     * @param lease a copy may be unable to go on for two leases: delegations of others take one
     */
    Copier(
            Exports exports,
            StateDriver state,
            DelegatedFiles delegated,
            ChangeCounter changes,
            Duration lease,
            FailureLog failures) {
        this.exports = exports;
        this.state = state;
        this.delegated = delegated;
        this.changes = changes;
        this.failures = failures;
        this.pausesMax = lease.multipliedBy(2).dividedBy(PAUSE);
    }

    private static ScheduledThreadPoolExecutor newThreads() {
        var threads =
                new ScheduledThreadPoolExecutor(
                        THREADS, Thread.ofPlatform().name("nfs-copies-", 1).daemon().factory());
        threads.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        threads.allowCoreThreadTimeOut(true);
        // The server ends: copies in progress are not continued.
        threads.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        threads.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
        return threads;
    }

    /**
     * A COPY whose first part is written, and whose other parts are copied after its reply.
     *
     * @param client who copies
     * @param from where the source begins, with the first part
     * @param length likewise
     * @param first what the first part has written
     */
    record Job(
            OpenExport export,
            Client client,
            FileId source,
            StateId sourceId,
            long from,
            FileId target,
            StateId targetId,
            long to,
            long length,
            Written first) {}

    /** A copy in progress. One thread at a time copies a part. */
    private final class Running {
        private final Job job;
        private final BegunCopy begun;
        private final FileGuard guard;
        private final ScheduledThreadPoolExecutor threads;

        /** Held while a part is copied. */
        private final ReentrantLock part = new ReentrantLock();

        private long done;
        private Stability committed;
        private long pauses;

        Running(Job job, BegunCopy begun) {
            this.job = job;
            this.begun = begun;
            this.guard = delegated.of(begun::use);
            this.threads =
                    Copier.this.threads.computeIfAbsent(job.export.store(), _ -> newThreads());
            this.done = job.first.bytes();
            this.committed = job.first.stability();
        }

        void go() {
            part.lock();
            try {
                boolean goesOn =
                        state.happen((all, now) -> all.copies().progress(begun.number(), done, now))
                                .value();
                if (goesOn) {
                    copy();
                } else {
                    copies.remove(begun.number());
                }
            } catch (RuntimeException | Error error) {
                broken(error);
            } finally {
                part.unlock();
            }
        }

        private void copy() {
            try {
                int bytes = copyPart();
                if (bytes == 0 || done == job.length) {
                    end(Nfs4Status.OK);
                } else {
                    pauses = 0;
                    threads.execute(this::go);
                }
            } catch (OperationFailure failure) {
                failed(failure.status());
            } catch (Refusal refusal) {
                failed(Statuses.of(refusal.failure()));
            } catch (StoreException failure) {
                failed(Statuses.of(failure.failure()));
            }
        }

        /** Ends the copy: no thread carries it on. */
        void broken(Throwable error) {
            failures.report("an internal error in an asynchronous copy", error);
            end(Nfs4Status.SERVERFAULT);
        }

        /** Copies the next part, and returns its length: 0 at the end of the source. */
        private int copyPart() throws OperationFailure, Refusal, StoreException {
            try (var from = open(job.source);
                    var to = open(job.target)) {
                to.requireWritable();
                state.requireUse(begun.use(), from, job.sourceId, StateIdUse.READ);
                state.requireUse(begun.use(), to, job.targetId, StateIdUse.WRITE);
                var place = new Place(to.node(), job.to + done);
                var changed =
                        from.node()
                                .copyRange(
                                        from.caller(), job.from + done, job.length - done, place);
                changes.changed(RegularFiles.key(to), changed);
                var written = changed.value();
                done += written.bytes();
                if (written.bytes() > 0 && written.stability().compareTo(committed) < 0) {
                    committed = written.stability();
                }
                return written.bytes();
            }
        }

        private CallTarget open(FileId file) throws Refusal, StoreException {
            return exports.open(job.export, file, job.client, false, guard);
        }

        private void failed(Nfs4Status status) {
            if (status == Nfs4Status.DELAY && pauses < pausesMax) {
                pauses++;
                threads.schedule(this::go, PAUSE.toMillis(), TimeUnit.MILLISECONDS);
            } else {
                end(status);
            }
        }

        private void end(Nfs4Status status) {
            // If data was lost meanwhile, the client sees by the verifier of COMMIT.
            var end = new CopyEnd(status, done, committed, job.first.verifier());
            state.happen((all, now) -> all.copies().end(begun.number(), end, now));
            copies.remove(begun.number());
        }

        /** Waits for the part that is being copied. Returns false if it does not end in time. */
        boolean awaitIdle() throws InterruptedException {
            boolean isIdle = part.tryLock(CANCEL_TIME.toNanos(), TimeUnit.NANOSECONDS);
            if (isIdle) {
                part.unlock();
            }
            return isIdle;
        }
    }

    /**
     * Begins to carry out the rest of a copy.
     *
     * @return the name of the copy, or nothing if the client has too many of them, or cannot be
     *     called back
     */
    Optional<StateId> begin(Compound compound, Job job) {
        var call =
                new CopyCall(
                        new ExportedFile(job.export.store(), job.target),
                        job.first.bytes(),
                        job.length);
        var outcome = state.happen((all, now) -> all.copies().begin(compound.slot(), call, now));
        if (!outcome.isOk()) {
            return Optional.empty();
        }
        var copy = new Running(job, outcome.value());
        copies.put(outcome.value().number(), copy);
        try {
            copy.threads.execute(copy::go);
        } catch (RuntimeException | Error error) {
            copy.broken(error);
        }
        return Optional.of(outcome.value().stateId());
    }

    /**
     * Waits until no part of a copy that was stopped is being copied.
     *
     * @param number that of the copy
     * @throws OperationFailure DELAY if that takes too long
     */
    void awaitPart(long number) throws OperationFailure {
        var copy = copies.get(number);
        try {
            if (copy != null && !copy.awaitIdle()) {
                throw new OperationFailure(Nfs4Status.DELAY);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new OperationFailure(Nfs4Status.DELAY);
        }
    }

    /** Forgets the threads of a store that is closed. A copy that goes on there fails by itself. */
    void forget(FileStore store) {
        threads.remove(store);
    }

    /** Ends all copies, and waits for the parts in progress. */
    @Override
    public void close() {
        threads.values().forEach(ScheduledThreadPoolExecutor::shutdown);
        long end = System.nanoTime() + CLOSE_TIME.toNanos();
        try {
            for (var each : threads.values()) {
                each.awaitTermination(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
