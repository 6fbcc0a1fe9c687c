package io.github.rpcrdma4j.nfs.server.driver;

import io.github.rpcrdma4j.nfs.server.driver.CallPermits.Permit;
import io.github.rpcrdma4j.nfs.server.served.Exports;
import io.github.rpcrdma4j.nfs.state.Callback;
import io.github.rpcrdma4j.nfs.state.CallbackSlot;
import io.github.rpcrdma4j.nfs.state.DelegationEvents;
import io.github.rpcrdma4j.nfs.state.ServerState;
import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.CopyEnd;
import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.state.event.Urgency;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments.RecallAny;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments.Sequence.ReferringCall;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments.Sequence.ReferringCalls;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackOpcode;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackResult;
import io.github.rpcrdma4j.nfs.v4.type.Bitmap;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.oncrpc.share.HostPlace;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/**
 * Calls clients back (RFC 8881, Section 20; RFC 7530, Section 15). A call that finds no way to the
 * client, too many others in progress, or no free slot in time is left out: the state repeats those
 * that matter. A recall waits while too many others are in progress. So a client that does not
 * answer costs other hosts nothing. Thread-safe.
 *
 * <p>Tests: {@code SessionCallbacksTest}, {@code CrowdedBackChannelTest}.
 */
public final class Callbacks {
    /** How long a client may take. */
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** Likewise if a call of another client waits for it. */
    static final Duration SHORT_TIMEOUT = Duration.ofSeconds(2);

    /** How long a call of another client waits for a permit and a slot. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    /** The program's version and procedure (RFC 8881, Section 20). */
    static final int VERSION = 1;

    static final int CB_COMPOUND = 1;

    static final OpaqueName NO_TAG = OpaqueName.of(new byte[0]);

    /** The most results of a call, in bytes. */
    static final int RESULTS_MAX = 512;

    private static final Bitmap ALL_DELEGATIONS =
            Bitmap.of(RecallAny.READ_DELEGATIONS, RecallAny.WRITE_DELEGATIONS);

    private final StateDriver state;
    private final Exports exports;
    private final SessionCallbacks ofSessions;
    private final PathCallbacks ofPaths;

    private final ThreadFactory threads;
    private final CallPermits permits = new CallPermits();

    /**
     * The calls in progress that the state has started: a slow client gets none twice at a time.
     */
    private final Set<Action.Call> started = ConcurrentHashMap.newKeySet();

    private final FailureLog failures;

    /** What comes of a question to a client. */
    public sealed interface Told {
        /**
         * The client was asked. It has told these attributes, or none.
         *
         * @param began when a slot was free, in nanoseconds
         */
        record Asked(Callback call, long began, Optional<EncodedAttributes> attributes)
                implements Told {}

        /** It cannot be asked: the server has no connection to it. */
        record Unreachable() implements Told {}

        /** The server had no room for the question, or no slot was free: it may ask later. */
        record Unasked() implements Told {}
    }

    /** What comes of a call. */
    sealed interface CallEnd {
        /** The client has answered: the last result, if there is one. */
        record Answered(Optional<CallbackResult> last) implements CallEnd {}

        /** The client cannot be reached, or has not taken or answered the call. */
        record NotTaken() implements CallEnd {}

        /** The server had no room for it: the client is not to blame. */
        record NotSent() implements CallEnd {}

        /** No slot was free: the client has to answer other calls first. */
        record NoSlot() implements CallEnd {}
    }

    public Callbacks(
            StateDriver state, Connections connections, Exports exports, FailureLog failures) {
        this(
                state,
                connections,
                exports,
                failures,
                Thread.ofVirtual().name("nfs-callback").factory());
    }

    /**
     * @param threads makes those that carry out what the state has started
     */
    public Callbacks(
            StateDriver state,
            Connections connections,
            Exports exports,
            FailureLog failures,
            ThreadFactory threads) {
        this.state = state;
        this.exports = exports;
        this.failures = failures;
        this.threads = threads;
        this.ofSessions = new SessionCallbacks(state, connections, failures);
        this.ofPaths = new PathCallbacks(state);
    }

    /**
     * Starts a call; does not wait. The caller holds the lock of the state.
     *
     * @throws Error if there is no memory for a thread: then the call is not sent
     */
    public void start(Action.Call call) {
        if (!started.add(call)) {
            return;
        }
        if (!isIn(call, place(call.clientId()))) {
            return;
        }
        try {
            launch(call);
        } catch (RuntimeException | Error none) {
            leave(call, new CallEnd.NotSent());
            throw none;
        }
    }

    /** Returns whether a call has a permit. A recall without one waits; others are left out. */
    private boolean isIn(Action.Call call, Optional<HostPlace> place) {
        if (call instanceof Action.Recall recall && place.isPresent()) {
            boolean isTaken = permits.takeOrWait(recall, place.get());
            if (!isTaken) {
                tell(all -> all.waits(recall));
            }
            return isTaken;
        }
        boolean isTaken = permits.take(permit(call), place);
        if (!isTaken) {
            started.remove(call);
            ended(call, new CallEnd.NotSent());
        }
        return isTaken;
    }

    private static Permit permit(Action.Call call) {
        return switch (call) {
            case Action.Recall recall -> new Permit.Recall(recall.clientId());
            case Action.NotifyLock _, Action.RecallAny _, Action.RecallSlots _, Action.TellCopy _ ->
                    new Permit.Other(call.clientId());
        };
    }

    /** Begins a call that has a permit. */
    private void launch(Action.Call call) {
        if (call instanceof Action.Recall recall) {
            state.read(
                    (all, now) -> {
                        all.delegations().begun(recall, now);
                        return null;
                    });
        }
        var work = failures.guarded("a call to an NFS client failed", () -> carryOut(call));
        threads.newThread(work).start();
    }

    private void carryOut(Action.Call call) {
        CallEnd callEnd = new CallEnd.NotTaken();
        try {
            if (isNeeded(call)) {
                callEnd = operation(call).map(each -> make(call, each)).orElse(callEnd);
            }
        } finally {
            leave(call, callEnd);
        }
    }

    /** Returns whether a call is of use: a recall may have waited for long. */
    private boolean isNeeded(Action.Call call) {
        return !(call instanceof Action.Recall recall)
                || state.read((all, _) -> all.delegations().isNeeded(recall));
    }

    /** Ends a call, and begins recalls that have waited for its permit. */
    private void leave(Action.Call call, CallEnd callEnd) {
        var next = new ArrayDeque<>(end(call, callEnd));
        while (!next.isEmpty()) {
            var recall = next.remove();
            try {
                launch(recall);
            } catch (RuntimeException | Error none) {
                failures.report("a recall of a delegation could not be begun", none);
                next.addAll(end(recall, new CallEnd.NotSent()));
            }
        }
    }

    private List<Action.Recall> end(Action.Call call, CallEnd callEnd) {
        started.remove(call);
        var next = permits.giveBack(permit(call));
        ended(call, callEnd);
        return next;
    }

    private CallEnd make(Action.Call call, CallbackArguments operation) {
        var operations = List.of(operation);
        return switch (call) {
            case Action.RecallSlots(_, var session, _) ->
                    switch (slot(
                            call.clientId(),
                            Urgency.OTHER,
                            (all, _) -> all.callbacks().take(session, Urgency.OTHER),
                            end(TIMEOUT))) {
                        case CallbackSlot.Taken(var slot) ->
                                ofSessions.call(slot, List.of(), operations, TIMEOUT);
                        case CallbackSlot.Busy() -> new CallEnd.NoSlot();
                        case CallbackSlot.NoChannel() -> new CallEnd.NotTaken();
                    };
            case Action.TellCopy ended ->
                    call(ended.clientId(), Urgency.OTHER, referring(ended), operations, TIMEOUT);
            case Action.Recall recall ->
                    call(recall.clientId(), Urgency.RECALL, List.of(), operations, TIMEOUT);
            case Action.NotifyLock _, Action.RecallAny _ ->
                    call(call.clientId(), Urgency.OTHER, List.of(), operations, TIMEOUT);
        };
    }

    /** Returns the call that began a copy: the client takes its reply first. */
    private static List<ReferringCalls> referring(Action.TellCopy ended) {
        var place = ended.place();
        var call = new ReferringCall(place.sequence(), place.slot());
        return List.of(new ReferringCalls(place.session(), List.of(call)));
    }

    /** Tells the state what has come of a call, if it waits for that. */
    private void ended(Action.Call call, CallEnd callEnd) {
        switch (call) {
            case Action.TellCopy ended ->
                    state.read(
                            (all, _) -> {
                                all.copies().told(ended.number(), isKnown(callEnd));
                                return null;
                            });
            case Action.Recall recall -> tell(all -> tell(all, recall, callEnd));
            case Action.NotifyLock _, Action.RecallAny _, Action.RecallSlots _ -> {}
        }
    }

    private void tell(Consumer<DelegationEvents> event) {
        state.read(
                (all, _) -> {
                    event.accept(all.delegations());
                    return null;
                });
    }

    private static void tell(DelegationEvents delegations, Action.Recall recall, CallEnd callEnd) {
        switch (callEnd) {
            case CallEnd.NotSent() -> delegations.notSent(recall);
            case CallEnd.NoSlot() -> delegations.noSlot(recall);
            case CallEnd.NotTaken() -> delegations.notTaken(recall);
            case CallEnd.Answered _ -> {
                if (isAccepted(callEnd)) {
                    delegations.taken(recall);
                } else {
                    delegations.notTaken(recall);
                }
            }
        }
    }

    /** Returns whether a client has got to the operation. One that does not know it never will. */
    private static boolean isKnown(CallEnd callEnd) {
        return callEnd instanceof CallEnd.Answered(var last)
                && last.filter(each -> each.number() != CallbackOpcode.CB_SEQUENCE.number())
                        .filter(each -> each.status() != Nfs4Status.DELAY)
                        .isPresent();
    }

    /** Returns whether a client has done what it was called for. */
    private static boolean isAccepted(CallEnd callEnd) {
        return isKnown(callEnd)
                && callEnd instanceof CallEnd.Answered(var last)
                && last.orElseThrow().status() == Nfs4Status.OK;
    }

    /** Returns the operation of a call; nothing if the export of its file is gone. */
    private Optional<CallbackArguments> operation(Action.Call call) {
        return switch (call) {
            case Action.NotifyLock(_, var file, var owner) ->
                    handle(file).map(handle -> new CallbackArguments.NotifyLock(handle, owner));
            // A client that is to cut the file has only asked for it so far. If it gives up, what
            // others have written has to be there.
            case Action.Recall(_, var file, var delegation) ->
                    handle(file)
                            .map(handle -> new CallbackArguments.Recall(delegation, false, handle));
            case Action.RecallAny(_, int keep) -> Optional.of(new RecallAny(keep, ALL_DELEGATIONS));
            case Action.RecallSlots(_, _, int highest) ->
                    Optional.of(new CallbackArguments.RecallSlot(highest));
            case Action.TellCopy told ->
                    handle(told.file())
                            .map(
                                    handle ->
                                            new CallbackArguments.Offload(
                                                    handle, told.copy(), end(told.end())));
        };
    }

    private static CallbackArguments.Offload.End end(CopyEnd end) {
        return end.status() == Nfs4Status.OK
                ? new CallbackArguments.Offload.Copied(
                        Optional.empty(), end.bytes(), end.committed(), end.verifier())
                : new CallbackArguments.Offload.Failed(end.status(), end.bytes());
    }

    private Optional<FileHandle> handle(FileKey key) {
        var file = (ExportedFile) key;
        return exports.find(file.store())
                .map(each -> FileHandle.of(exports.handle(each, file.file()).bytes()));
    }

    /** Tries whether a client answers. The state learns of it. */
    public void probe(long clientId) {
        var permit = new Permit.Other(clientId);
        if (permits.take(permit, place(clientId))) {
            try {
                call(clientId, Urgency.OTHER, List.of(), List.of(), SHORT_TIMEOUT);
            } finally {
                permits.giveBack(permit);
            }
        }
    }

    /**
     * Asks a client for the attributes of a file that it may have changed on its own (CB_GETATTR).
     *
     * @param asker the place whose client wants to know
     */
    public Told ask(long clientId, ExportedFile file, AttributeSet wanted, HostPlace asker) {
        var handle = handle(file);
        if (handle.isEmpty()) {
            return new Told.Unreachable();
        }
        long end = end(PATIENCE);
        var permit = new Permit.Question(clientId, asker);
        if (!enter(permit, end)) {
            return new Told.Unasked();
        }
        try {
            var operation = new CallbackArguments.GetAttr(handle.get(), wanted);
            return switch (slot(clientId, Urgency.QUESTION, end)) {
                case CallbackSlot.Taken(var slot) -> told(slot, operation);
                case CallbackSlot.Busy() -> new Told.Unasked();
                case CallbackSlot.NoChannel() -> new Told.Unreachable();
            };
        } finally {
            permits.giveBack(permit);
        }
    }

    private Told told(Callback slot, CallbackArguments.GetAttr operation) {
        long began = System.nanoTime();
        var callEnd = ofSessions.call(slot, List.of(), List.of(operation), SHORT_TIMEOUT);
        return switch (callEnd) {
            case CallEnd.Answered(var last) ->
                    new Told.Asked(
                            slot,
                            began,
                            last.filter(CallbackResult.GetAttr.class::isInstance)
                                    .map(CallbackResult.GetAttr.class::cast)
                                    .map(CallbackResult.GetAttr::attributes));
            case CallEnd.NotTaken() -> new Told.Asked(slot, began, Optional.empty());
            case CallEnd.NotSent(), CallEnd.NoSlot() -> new Told.Unasked();
        };
    }

    /** Takes a permit. Waits while all are taken, until then. */
    private boolean enter(Permit.Question permit, long end) {
        try {
            return permits.take(permit, place(permit.clientId()), end - System.nanoTime());
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private Optional<HostPlace> place(long clientId) {
        // Not within the monitor: a thread with the lock of the state may wait for that.
        return state.read((all, now) -> all.version0().place(clientId, now));
    }

    private static long end(Duration patience) {
        return System.nanoTime() + patience.toNanos();
    }

    private CallbackSlot slot(long clientId, Urgency urgency, long end) {
        return slot(
                clientId, urgency, (all, now) -> all.callbacks().take(clientId, urgency, now), end);
    }

    /** Takes a slot. Waits while all are in use, until then. */
    private CallbackSlot slot(
            long clientId,
            Urgency urgency,
            BiFunction<ServerState, Long, CallbackSlot> take,
            long end) {
        var found = state.read(take);
        if (!(found instanceof CallbackSlot.Busy)) {
            return found;
        }
        try (var ends = permits.watch(clientId)) {
            var waiting = state.read((all, now) -> all.callbacks().await(clientId, urgency, now));
            try {
                while (true) {
                    long seen = ends.count();
                    found = state.read(take);
                    long left = end - System.nanoTime();
                    if (!(found instanceof CallbackSlot.Busy) || left <= 0) {
                        return found;
                    }
                    ends.await(seen, left);
                }
            } finally {
                state.read(
                        (all, _) -> {
                            all.callbacks().awaitNoLonger(waiting);
                            return null;
                        });
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return found;
        }
    }

    /**
     * Makes a call.
     *
     * @param referring the calls of the client that this one is about; only clients with sessions
     *     have such
     */
    private CallEnd call(
            long clientId,
            Urgency urgency,
            List<ReferringCalls> referring,
            List<CallbackArguments> operations,
            Duration timeout) {
        return switch (slot(clientId, urgency, end(timeout))) {
            case CallbackSlot.Taken(var slot) ->
                    ofSessions.call(slot, referring, operations, timeout);
            case CallbackSlot.Busy() -> new CallEnd.NoSlot();
            case CallbackSlot.NoChannel() ->
                    state.read((all, now) -> all.version0().path(clientId, now))
                            .map(CallerPath.class::cast)
                            .map(path -> ofPaths.call(clientId, path, operations, timeout))
                            .orElseGet(CallEnd.NotTaken::new);
        };
    }
}
