package io.github.rpcrdma4j.nfs.server.driver;

import io.github.rpcrdma4j.nfs.server.served.Exports;
import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.DelegationOutcome;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.store.KernelLease;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Keeps local processes, and operations of other clients, away from delegated files. A file system
 * that hangs holds up its own files only. Thread-safe.
 */
public final class LocalLeases {
    /** What the time of the server and that of the kernel differ by at most. */
    private static final Duration DIFFERENCE = Duration.ofSeconds(3);

    private final DelegatedFiles delegated;
    private final StateDriver state;
    private final Duration limit;
    private final FailureLog failures;
    private final FileQueues<LeasedFile> files;

    /** What each OPEN that waits for the kernel is owed. */
    private final Map<Long, CompletableFuture<Outcome<DelegationOutcome>>> asked =
            new ConcurrentHashMap<>();

    /**
     * @param limit how long an OPEN or a DELEGRETURN waits for the file system
     */
    public LocalLeases(
            Exports exports,
            DelegatedFiles delegated,
            StateDriver state,
            Duration limit,
            FailureLog failures) {
        this.delegated = delegated;
        this.state = state;
        this.limit = limit;
        this.failures = failures;
        this.files =
                new FileQueues<>(
                        "nfs-leases",
                        key -> new LeasedFile(exports, key, listener(key)),
                        LeasedFile::isHeld,
                        failures);
    }

    /**
     * Returns how long clients get to give a delegation back that local processes wait for: less
     * than these wait, since the server learns of them later, and looks at the time now and then.
     *
     * @param kernel how long the kernel lets them wait
     */
    public static Duration timeForClients(Duration kernel) {
        var half = kernel.dividedBy(2);
        return half.compareTo(DIFFERENCE) < 0 ? half : kernel.minus(DIFFERENCE);
    }

    private KernelLease.Listener listener(ExportedFile file) {
        // The thread of the store must not wait.
        var conflicts =
                new Notices(
                        task ->
                                Thread.ofVirtual()
                                        .name("nfs-recall")
                                        .start(
                                                failures.guarded(
                                                        "a delegation was not recalled", task)),
                        () ->
                                state.happen(
                                        (all, now) -> all.delegations().localConflict(file, now)));
        return new KernelLease.Listener() {
            @Override
            public void conflict() {
                conflicts.add();
            }

            @Override
            public void changed() {
                if (!delegated.isBeingChanged(file)) {
                    conflict();
                }
            }
        };
    }

    /** Starts a change. The lock of the state is held, so that changes keep their order. */
    public void start(Action.KernelLease action) {
        switch (action) {
            case Action.AskKernelLease ask -> {
                var waiting = new CompletableFuture<Outcome<DelegationOutcome>>();
                asked.put(ask.number(), waiting);
                files.add(ask.file(), file -> answer(file, ask, waiting));
            }
            case Action.EndKernelLease(var key) ->
                    files.add(
                            key,
                            file -> {
                                file.end();
                                delegated.end(key);
                            });
        }
    }

    private void answer(
            LeasedFile file,
            Action.AskKernelLease ask,
            CompletableFuture<Outcome<DelegationOutcome>> waiting) {
        boolean isHeld = false;
        try {
            isHeld = delegated.delegate(ask.file(), ask.kind()) && file.hold(ask.kind());
        } finally {
            boolean isGranted = isHeld;
            try {
                var outcome =
                        state.happen(
                                (all, now) ->
                                        all.delegations()
                                                .answerKernelLease(ask.number(), isGranted, now));
                if (outcome.value() instanceof DelegationOutcome.Granted) {
                    delegated.granted(ask.file(), file.tellingChanges());
                }
                waiting.complete(outcome);
            } catch (RuntimeException | Error error) {
                waiting.completeExceptionally(error);
                throw error;
            }
        }
    }

    /**
     * Returns what comes of a wish for a delegation that the kernel was asked about. The reply may
     * have to wait for storage. Nothing comes of it if the file system does not answer in time.
     */
    public Optional<Outcome<DelegationOutcome>> outcome(long number) {
        var answer = asked.get(number);
        try {
            return Optional.of(answer.get(limit.toNanos(), TimeUnit.NANOSECONDS));
        } catch (TimeoutException _) {
            return late(number, answer);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return late(number, answer);
        } catch (ExecutionException impossible) {
            throw new IllegalStateException("an answer is a value", impossible);
        } finally {
            asked.remove(number);
        }
    }

    private Optional<Outcome<DelegationOutcome>> late(
            long number, CompletableFuture<Outcome<DelegationOutcome>> answer) {
        if (state.happen((all, now) -> all.delegations().abandon(number, now)).value()) {
            return Optional.empty();
        }
        // The state has the answer, and this thread gets it at once.
        return Optional.of(answer.join());
    }

    /**
     * Waits until the kernel knows which leases of a file have ended so far: until then it keeps
     * operations of others from the file. Not for long if the file system hangs.
     */
    public void settle(ExportedFile key) {
        files.settle(key, limit);
    }

    /** Gives up all leases; no event may happen any more. */
    public void closeAll() {
        files.close().forEach(key -> files.addIfNeeded(key, LeasedFile::end));
    }
}
