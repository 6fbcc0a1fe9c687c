package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.server.served.Exports;
import io.github.rpcrdma4j.nfs.server.state.Action;
import io.github.rpcrdma4j.nfs.server.state.CopyEnd;
import io.github.rpcrdma4j.nfs.server.state.FileKey;
import io.github.rpcrdma4j.nfs.server.state.Host;
import io.github.rpcrdma4j.nfs.server.state.HostPlaces;
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
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Calls clients back (RFC 8881, Section 20; RFC 7530, Section 15). A call that finds no way to the
 * client, or too many others in progress, is left out: the state repeats those that matter. So a
 * client that does not answer costs other hosts nothing. Thread-safe.
 */
final class Callbacks {
    /** How long a client may take. */
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** Likewise if a call of another client waits for it. */
    private static final Duration SHORT_TIMEOUT = Duration.ofSeconds(2);

    /** The program's version and procedure (RFC 8881, Section 20). */
    static final int VERSION = 1;

    static final int CB_COMPOUND = 1;

    static final OpaqueName NO_TAG = OpaqueName.of(new byte[0]);

    /** The most results of a call, in bytes. */
    static final int RESULTS_MAX = 512;

    /** The calls that are in progress at most. */
    private static final int CALLS_MAX = 256;

    private static final int CALLS_OF_HOST_MAX = 64;
    private static final int CALLS_OF_CLIENT_MAX = 16;

    private static final Bitmap ALL_DELEGATIONS =
            Bitmap.of(RecallAny.READ_DELEGATIONS, RecallAny.WRITE_DELEGATIONS);

    private final StateDriver state;
    private final Exports exports;
    private final SessionCallbacks ofSessions;
    private final PathCallbacks ofPaths;

    /** The calls in progress of each client, and of hosts. The monitor of the map guards both. */
    private final Map<Long, Calls> calls = new HashMap<>();

    private final HostPlaces places = new HostPlaces(CALLS_MAX, CALLS_OF_HOST_MAX);

    private record Calls(Host host, int count) {}

    /**
     * The calls in progress that the state has started: a slow client gets none twice at a time.
     */
    private final Set<Action.Call> started = ConcurrentHashMap.newKeySet();

    private final FailureLog failures;

    Callbacks(StateDriver state, Connections connections, Exports exports, FailureLog failures) {
        this.state = state;
        this.exports = exports;
        this.failures = failures;
        this.ofSessions = new SessionCallbacks(state, connections, failures);
        this.ofPaths = new PathCallbacks(state);
    }

    /** Starts a call; does not wait. The caller holds the lock of the state. */
    void start(Action.Call call) {
        long clientId = call.clientId();
        if (started.contains(call)) {
            return;
        }
        if (!enter(clientId)) {
            leftOut(call);
            ended(call, Optional.empty());
            return;
        }
        started.add(call);
        Thread.ofVirtual()
                .name("nfs-callback")
                .start(failures.guarded("a call to an NFS client failed", () -> carryOut(call)));
    }

    private void carryOut(Action.Call call) {
        Optional<CallbackResult> last = Optional.empty();
        try {
            last = operation(call).flatMap(each -> make(call, each));
        } finally {
            started.remove(call);
            leave(call.clientId());
            ended(call, last);
        }
    }

    /** Tells the state that there is no room for a recall: its client still knows nothing of it. */
    private void leftOut(Action.Call call) {
        if (call instanceof Action.Recall recall) {
            state.read(
                    (all, _) -> {
                        all.delegations().notCalled(recall);
                        return null;
                    });
        }
    }

    /** Returns the last result, if there is one. */
    private Optional<CallbackResult> make(Action.Call call, CallbackArguments operation) {
        var operations = List.of(operation);
        return switch (call) {
            case Action.RecallSlots(_, var session, _) ->
                    state.read((all, _) -> all.takeCallback(session))
                            .flatMap(slot -> ofSessions.call(slot, List.of(), operations, TIMEOUT));
            case Action.TellCopy ended ->
                    call(ended.clientId(), referring(ended), operations, TIMEOUT);
            case Action.NotifyLock _, Action.Recall _, Action.RecallAny _ ->
                    call(call.clientId(), operations, TIMEOUT);
        };
    }

    /** Returns the call that began a copy: the client takes its reply first. */
    private static List<ReferringCalls> referring(Action.TellCopy ended) {
        var place = ended.place();
        var call = new ReferringCall(place.sequence(), place.slot());
        return List.of(new ReferringCalls(place.session(), List.of(call)));
    }

    /** Tells the state what has come of a call, if it waits for that. */
    private void ended(Action.Call call, Optional<CallbackResult> last) {
        if (call instanceof Action.TellCopy ended) {
            // A client that knows no such callback never takes it.
            boolean isAnswered =
                    last.filter(each -> each.number() != CallbackOpcode.CB_SEQUENCE.number())
                            .filter(each -> each.status() != Nfs4Status.DELAY)
                            .isPresent();
            state.read(
                    (all, _) -> {
                        all.copies().told(ended.number(), isAnswered);
                        return null;
                    });
        }
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
    void probe(long clientId) {
        if (enter(clientId)) {
            try {
                call(clientId, List.of(), SHORT_TIMEOUT);
            } finally {
                leave(clientId);
            }
        }
    }

    /**
     * Asks a client for the attributes of a file that it may have changed on its own (CB_GETATTR).
     *
     * @return nothing if it does not tell them
     */
    Optional<EncodedAttributes> attributes(long clientId, ExportedFile file, AttributeSet wanted) {
        var handle = handle(file);
        if (handle.isEmpty() || !enter(clientId)) {
            return Optional.empty();
        }
        try {
            var operation = new CallbackArguments.GetAttr(handle.get(), wanted);
            return call(clientId, List.of(operation), SHORT_TIMEOUT)
                    .filter(CallbackResult.GetAttr.class::isInstance)
                    .map(found -> ((CallbackResult.GetAttr) found).attributes());
        } finally {
            leave(clientId);
        }
    }

    private boolean enter(long clientId) {
        // Not within the monitor: a thread with the lock of the state may wait for that.
        var found = state.read((all, now) -> all.version0().host(clientId, now));
        synchronized (calls) {
            var before = calls.get(clientId);
            int own = before == null ? 0 : before.count;
            var host = before == null ? found.orElse(null) : before.host;
            if (host == null || own == CALLS_OF_CLIENT_MAX || !places.take(host)) {
                return false;
            }
            calls.put(clientId, new Calls(host, own + 1));
            return true;
        }
    }

    private void leave(long clientId) {
        synchronized (calls) {
            calls.computeIfPresent(
                    clientId,
                    (_, own) -> {
                        places.giveBack(own.host);
                        return own.count == 1 ? null : new Calls(own.host, own.count - 1);
                    });
        }
    }

    /** Returns the last result, if there is one. */
    private Optional<CallbackResult> call(
            long clientId, List<CallbackArguments> operations, Duration timeout) {
        return call(clientId, List.of(), operations, timeout);
    }

    /**
     * Returns the last result, if there is one.
     *
     * @param referring the calls of the client that this one is about; only clients with sessions
     *     have such
     */
    private Optional<CallbackResult> call(
            long clientId,
            List<ReferringCalls> referring,
            List<CallbackArguments> operations,
            Duration timeout) {
        var slot = state.read((all, now) -> all.takeCallback(clientId, now));
        return slot.isPresent()
                ? ofSessions.call(slot.get(), referring, operations, timeout)
                : state.read((all, now) -> all.version0().path(clientId, now))
                        .map(CallerPath.class::cast)
                        .flatMap(path -> ofPaths.call(clientId, path, operations, timeout));
    }
}
