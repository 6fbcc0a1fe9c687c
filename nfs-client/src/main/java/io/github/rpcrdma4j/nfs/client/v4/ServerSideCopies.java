package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.Written;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.client.v4.state.CopyLengths;
import io.github.rpcrdma4j.nfs.client.v4.state.CopyNotices;
import io.github.rpcrdma4j.nfs.client.v4.state.OffloadedCopy;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CopyArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CopyResult;
import io.github.rpcrdma4j.nfs.v4.operation.DataArguments;
import io.github.rpcrdma4j.nfs.v4.operation.DataResult;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;

/**
 * Copies bytes within a server, by CLONE and COPY, and finds holes, by SEEK (RFC 7862, Sections
 * 15.13, 15.2 and 15.11). A server may go on with a COPY after its reply: then its end is awaited.
 *
 * <p>Tests: {@code ServerSideCopiesTest}, {@code OffloadedCopiesTest}.
 */
record ServerSideCopies(CompoundCalls calls, Ends ends, CopyLengths lengths) {
    /** So often the server may forget a copy, or want another way. */
    private static final int TRIES_MAX = 3;

    /** How long a copy that nobody wants any more is waited for. */
    private static final Duration FAREWELL = Duration.ofSeconds(2);

    /** The saved file is the source, the current one the target. */
    private static Plan both(OpenAtServer source, OpenAtServer target) {
        return Plan.at(Nfs4Values.handle(source.handle()))
                .save()
                .file(Nfs4Values.handle(target.handle()));
    }

    boolean share(OpenAtServer source, OpenAtServer target, String what)
            throws IOException, InterruptedException {
        var use =
                new FileUse(
                        List.of(source, target),
                        what,
                        ids ->
                                both(source, target)
                                        .share(
                                                new CopyArguments.Clone(
                                                        ids.getFirst(), ids.getLast(), 0, 0, 0)));
        try {
            calls.run(use, what, results -> results.done(4));
            return true;
        } catch (NfsException refused) {
            return isLeftToOthers(refused);
        }
    }

    /** The ends of copies that the server tells by callbacks. Thread-safe. */
    static final class Ends {
        private final SessionThreads threads;
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition heard;
        private final CopyNotices notices = new CopyNotices();

        Ends(SessionThreads threads) {
            this.threads = threads;
            this.heard = threads.condition(lock);
        }

        /** Hears an end. */
        void hear(CallbackArguments.Offload end) {
            lock.lock();
            try {
                notices.hear(end, threads.nanoTime());
                heard.signalAll();
            } finally {
                lock.unlock();
            }
        }

        /** Hears that the server has forgotten its copies. */
        void forget() {
            lock.lock();
            try {
                notices.forget();
            } finally {
                lock.unlock();
            }
        }

        /** Waits for the end of a copy, for a time at most. */
        private Optional<CallbackArguments.Offload.End> await(StateId copy, long nanos)
                throws InterruptedException {
            lock.lockInterruptibly();
            try {
                long left = nanos;
                var end = notices.take(copy);
                while (end.isEmpty() && left > 0) {
                    left = heard.awaitNanos(left);
                    end = notices.take(copy);
                }
                return end;
            } finally {
                lock.unlock();
            }
        }
    }

    /**
     * Copies a range, or the first part of it, as {@link CopyLengths} says. A server that forgets a
     * copy begins with it anew.
     *
     * @return empty if the server does not copy it
     */
    Optional<Written> copy(
            OpenAtServer source,
            OpenAtServer target,
            long offset,
            long count,
            String what,
            LongConsumer progress)
            throws IOException, InterruptedException {
        boolean isSynchronous = false;
        try {
            for (int i = 0; i < TRIES_MAX; i++) {
                long asked = lengths.of(count, isSynchronous);
                var reply = begun(source, target, offset, asked, isSynchronous, what);
                if (reply.isEmpty()) {
                    isSynchronous = true;
                    continue;
                }
                var told = reply.get();
                lengths.answered(told.callbackId().isPresent());
                var end =
                        told.callbackId().isEmpty()
                                ? Optional.of(
                                        new Written(
                                                told.count(), told.committed(), told.verifier()))
                                : ended(target, told, asked, what, progress);
                if (end.isPresent()) {
                    return end;
                }
            }
            return Optional.empty();
        } catch (NfsException refused) {
            isLeftToOthers(refused);
            return Optional.empty();
        }
    }

    /** Makes a COPY. Returns nothing if the server copies before its reply alone. */
    private Optional<CopyResult.Copy> begun(
            OpenAtServer source,
            OpenAtServer target,
            long offset,
            long count,
            boolean isSynchronous,
            String what)
            throws IOException, InterruptedException {
        var use =
                new FileUse(
                        List.of(source, target),
                        what,
                        ids ->
                                both(source, target)
                                        .copy(
                                                new CopyArguments.Copy(
                                                        ids.getFirst(),
                                                        ids.getLast(),
                                                        offset,
                                                        offset,
                                                        count,
                                                        true,
                                                        isSynchronous,
                                                        List.of())));
        return calls.run(
                use,
                what,
                results -> {
                    results.done(3);
                    return !isSynchronous && results.status() == Nfs4Status.OFFLOAD_NO_REQS
                            ? Optional.empty()
                            : Optional.of(begun(results, count, what));
                });
    }

    private static CopyResult.Copy begun(Results results, long count, String what)
            throws IOException {
        var copied = results.next(CopyResult.Copy.class);
        if (!copied.isConsecutive()) {
            throw new RpcException.BadReply(
                    what + ": the server copies in another way than it was asked to");
        }
        if (Long.compareUnsigned(copied.count(), count) > 0) {
            throw new RpcException.BadReply(what + ": the server has copied more than asked");
        }
        return copied;
    }

    /** Waits for the end of a copy. Returns nothing if the server has forgotten it. */
    private Optional<Written> ended(
            OpenAtServer target,
            CopyResult.Copy begun,
            long count,
            String what,
            LongConsumer progress)
            throws IOException, InterruptedException {
        var id = begun.callbackId().orElseThrow();
        var patience = calls.timeout().toNanos();
        var copy = new OffloadedCopy(count, begun.verifier(), patience, now());
        boolean goesOn = true;
        try {
            var state = copy.begun();
            while (state instanceof OffloadedCopy.State.Running(var pause)) {
                var heard = ends.await(id, pause);
                if (heard.isEmpty()) {
                    state = asked(target, id, copy, count, what);
                    progress.accept(copy.done());
                    // It may have ended while it was asked about.
                    heard = ends.await(id, 0);
                }
                if (heard.isPresent()) {
                    state = copy.heard(heard.get());
                }
            }
            goesOn =
                    state instanceof OffloadedCopy.State.Stalled
                            || state instanceof OffloadedCopy.State.Untold
                            || state instanceof OffloadedCopy.State.Impossible;
            return written(state, what);
        } finally {
            if (goesOn) {
                cancel(target, id);
            }
        }
    }

    private long now() {
        return calls.threads().nanoTime();
    }

    /** Asks how far a copy is. */
    private OffloadedCopy.State asked(
            OpenAtServer target, StateId id, OffloadedCopy copy, long count, String what)
            throws IOException, InterruptedException {
        try {
            var told =
                    calls.run(
                            Plan.at(Nfs4Values.handle(target.handle())).progress(id),
                            what,
                            results -> results.done(1).next(CopyResult.OffloadStatus.class));
            return copy.told(told, now());
        } catch (NfsException refused) {
            return switch (refused.status()) {
                case NOT_OPEN -> new OffloadedCopy.State.Forgotten();
                case NOTSUPP -> {
                    lengths.untold();
                    // Without news a long copy cannot be told from one that has stopped.
                    yield count > CopyLengths.UNTOLD_MAX
                            ? new OffloadedCopy.State.Untold()
                            : copy.untold(now());
                }
                case JUKEBOX, GRACE -> copy.untold(now());
                default -> throw refused;
            };
        }
    }

    private Optional<Written> written(OffloadedCopy.State state, String what) throws IOException {
        return switch (state) {
            case OffloadedCopy.State.Ended(var written) -> Optional.of(written);
            case OffloadedCopy.State.Forgotten(), OffloadedCopy.State.Untold() -> Optional.empty();
            case OffloadedCopy.State.Failed(var status) ->
                    throw new NfsException(what, Nfs4Values.status(status));
            case OffloadedCopy.State.Stalled() ->
                    throw new IOException(
                            what
                                    + ": the server has copied nothing for "
                                    + calls.timeout().toSeconds()
                                    + " seconds");
            case OffloadedCopy.State.Impossible(var why) ->
                    throw new RpcException.BadReply(what + ": " + why);
            case OffloadedCopy.State.Running _ -> throw new IllegalStateException("it goes on");
        };
    }

    /** Asks the server to stop, for a short time: it stops when the client leaves, too. */
    private void cancel(OpenAtServer target, StateId id) {
        var plan = Plan.at(Nfs4Values.handle(target.handle())).cancel(id);
        var asking =
                calls.threads()
                        .unstarted(
                                "nfs4-copy-cancel",
                                () ->
                                        LastAttempt.succeeds(
                                                () ->
                                                        calls.run(
                                                                plan,
                                                                "cannot stop a copy",
                                                                Results::end)));
        boolean interrupted = Thread.interrupted();
        asking.start();
        try {
            asking.join(FAREWELL);
        } catch (InterruptedException _) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Returns false if bytes that pass through this machine can be copied all the same.
     *
     * @throws NfsException if that would fail, too
     */
    private static boolean isLeftToOthers(NfsException refused) throws NfsException {
        return switch (refused.status()) {
            case NOTSUPP, INVAL, XDEV, BADTYPE, SERVERFAULT -> false;
            default -> throw refused;
        };
    }

    OptionalLong seek(OpenAtServer file, long offset, boolean isData, String what)
            throws IOException, InterruptedException {
        int sought = isData ? DataArguments.Seek.DATA : DataArguments.Seek.HOLE;
        var handle = Nfs4Values.handle(file.handle());
        var use =
                file.use(
                        what,
                        stateId ->
                                Plan.at(handle)
                                        .seek(new DataArguments.Seek(stateId, offset, sought)));
        try {
            return OptionalLong.of(
                    calls.run(use, what, results -> found(results, offset, isData, what)));
        } catch (NfsException refused) {
            return switch (refused.status()) {
                // No data follows (RFC 7862, Section 15.11.3).
                case NXIO -> OptionalLong.of(Long.MAX_VALUE);
                case NOTSUPP -> OptionalLong.empty();
                default -> throw refused;
            };
        }
    }

    private static long found(Results results, long offset, boolean isData, String what)
            throws IOException {
        var found = results.done(1).next(DataResult.Seek.class);
        if (isData && found.isEndOfFile()) {
            return Long.MAX_VALUE;
        }
        if (found.offset() < offset) {
            throw new RpcException.BadReply(what + ": the server seeks backwards");
        }
        return found.offset();
    }
}
