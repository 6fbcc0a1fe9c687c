package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.server.served.Exports;
import io.github.rpcrdma4j.nfs.server.state.Action;
import io.github.rpcrdma4j.nfs.server.state.Callback;
import io.github.rpcrdma4j.nfs.server.state.CopyEnd;
import io.github.rpcrdma4j.nfs.server.state.FileKey;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments.Sequence.ReferringCall;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments.Sequence.ReferringCalls;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackCompound;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackOpcode;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackResult;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackSecurity;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.spi.CallMessage;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Calls clients back over the connections of their sessions (RFC 8881, Section 20). A call that
 * finds no connection or no slot, or is longer than the session takes, is left out: the state
 * repeats those that matter. Thread-safe.
 */
final class Callbacks {
    /** How long a client may take. Then its connection serves no calls of the server any more. */
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** Likewise if a call of another client waits for it. */
    private static final Duration SHORT_TIMEOUT = Duration.ofSeconds(2);

    /** The program's version and procedure (RFC 8881, Section 20). */
    private static final int VERSION = 1;

    private static final int CB_COMPOUND = 1;

    /** The most results of a call, in bytes. */
    private static final int RESULTS_MAX = 512;

    /** The longest name of a machine in AUTH_SYS, in bytes. */
    private static final int MACHINE_MAX = 255;

    /** The calls that are in progress at most. */
    private static final int CALLS_MAX = 256;

    private static final int CALLS_OF_CLIENT_MAX = 16;

    private static final OpaqueName NO_TAG = OpaqueName.of(new byte[0]);

    private final SegmentPool pool = new SegmentPool(0);
    private final StateDriver state;
    private final Connections connections;
    private final Exports exports;

    /** The calls in progress of each client, and of all. The monitor of the map guards both. */
    private final Map<Long, Integer> calls = new HashMap<>();

    private int total;

    Callbacks(StateDriver state, Connections connections, Exports exports) {
        this.state = state;
        this.connections = connections;
        this.exports = exports;
    }

    /** Tells a client that a lock may be free. Does not wait. */
    void start(Action.NotifyLock notify) {
        start(
                notify.clientId(),
                notify.file(),
                handle -> new CallbackArguments.NotifyLock(handle, notify.owner()));
    }

    /** Recalls a delegation. Does not wait. */
    void start(Action.Recall recall) {
        start(
                recall.clientId(),
                recall.file(),
                handle ->
                        new CallbackArguments.Recall(
                                recall.delegation(), recall.isTruncated(), handle));
    }

    /** Tells a client that a copy has ended. Does not wait. The state learns what comes of it. */
    void start(Action.TellCopy ended) {
        start(
                ended.clientId(),
                () -> {
                    boolean isAnswered = false;
                    try {
                        isAnswered = tell(ended);
                    } finally {
                        told(ended, isAnswered);
                    }
                },
                () -> told(ended, false));
    }

    /** Returns whether the client has taken it. */
    private boolean tell(Action.TellCopy ended) {
        var handle = handle(ended.file());
        if (handle.isEmpty()) {
            return false;
        }
        var operation = new CallbackArguments.Offload(handle.get(), ended.copy(), end(ended.end()));
        var answer = call(ended.clientId(), referring(ended), List.of(operation), TIMEOUT);
        // A client that knows no such callback never takes it.
        return answer.filter(each -> each.number() != CallbackOpcode.CB_SEQUENCE.number())
                .filter(each -> each.status() != Nfs4Status.DELAY)
                .isPresent();
    }

    private static CallbackArguments.Offload.End end(CopyEnd end) {
        return end.status() == Nfs4Status.OK
                ? new CallbackArguments.Offload.Copied(
                        Optional.empty(), end.bytes(), end.committed(), end.verifier())
                : new CallbackArguments.Offload.Failed(end.status(), end.bytes());
    }

    /** Returns the call that began the copy: the client takes its reply first. */
    private static List<ReferringCalls> referring(Action.TellCopy ended) {
        var place = ended.place();
        var call = new ReferringCall(place.sequence(), place.slot());
        return List.of(new ReferringCalls(place.session(), List.of(call)));
    }

    private void told(Action.TellCopy ended, boolean isAnswered) {
        state.read(
                (all, _) -> {
                    all.copies().told(ended.number(), isAnswered);
                    return null;
                });
    }

    private void start(
            long clientId, FileKey file, Function<FileHandle, CallbackArguments> operation) {
        start(
                clientId,
                () ->
                        handle(file)
                                .map(operation)
                                .ifPresent(each -> call(clientId, List.of(each), TIMEOUT)),
                () -> {});
    }

    /**
     * Carries out a call on a thread of its own.
     *
     * @param full runs in place of it if too many are in progress; by the caller, under its lock
     */
    private void start(long clientId, Runnable call, Runnable full) {
        if (!enter(clientId)) {
            full.run();
            return;
        }
        Thread.ofVirtual()
                .name("nfs-callback")
                .start(
                        () -> {
                            try {
                                call.run();
                            } finally {
                                leave(clientId);
                            }
                        });
    }

    private Optional<FileHandle> handle(FileKey key) {
        var file = (ExportedFile) key;
        return exports.handle(file.export(), file.file()).map(each -> FileHandle.of(each.bytes()));
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
        synchronized (calls) {
            int own = calls.getOrDefault(clientId, 0);
            if (total == CALLS_MAX || own == CALLS_OF_CLIENT_MAX) {
                return false;
            }
            calls.put(clientId, own + 1);
            total++;
            return true;
        }
    }

    private void leave(long clientId) {
        synchronized (calls) {
            calls.computeIfPresent(clientId, (_, own) -> own == 1 ? null : own - 1);
            total--;
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
     * @param referring the calls of the client that this one is about
     */
    private Optional<CallbackResult> call(
            long clientId,
            List<ReferringCalls> referring,
            List<CallbackArguments> operations,
            Duration timeout) {
        var taken = state.read((all, now) -> all.takeCallback(clientId, now));
        if (taken.isEmpty()) {
            return Optional.empty();
        }
        var callback = taken.get();
        var outcome = call(callback, referring, operations, timeout);
        state.read(
                (all, _) -> {
                    all.endCallback(callback, outcome.end);
                    return null;
                });
        return outcome.last;
    }

    /** How a call ended, and its last result. */
    private record Ended(Callback.End end, Optional<CallbackResult> last) {
        static Ended without(Callback.End end) {
            return new Ended(end, Optional.empty());
        }
    }

    private Ended call(
            Callback callback,
            List<ReferringCalls> referring,
            List<CallbackArguments> behind,
            Duration timeout) {
        var reverse = connections.reverse(callback.connection());
        if (reverse.isEmpty()) {
            return Ended.without(new Callback.Lost());
        }
        var sequence =
                new CallbackArguments.Sequence(
                        callback.sessionId(),
                        callback.sequence(),
                        callback.slot(),
                        callback.highestSlot(),
                        false,
                        referring);
        var security = (SessionOperations.Security) callback.security();
        var operations = new ArrayList<CallbackArguments>();
        operations.add(sequence);
        operations.addAll(behind);
        var compound = new CallbackCompound(NO_TAG, security.minorVersion(), operations);
        var call =
                new RpcCall(
                        callback.program(),
                        VERSION,
                        CB_COMPOUND,
                        compound::encode,
                        Math.min(RESULTS_MAX, callback.responseMax()));
        var credential = credential(security);
        if (!isTaken(callback, call, credential)) {
            return Ended.without(new Callback.Postponed());
        }
        try (var client = reverse.get().client(credential);
                var reply = client.call(call, timeout)) {
            var outcome = CallbackCompound.Outcome.decode(reply.results());
            var results = outcome.results();
            return new Ended(
                    end(outcome),
                    results.isEmpty() ? Optional.empty() : Optional.of(results.getLast()));
        } catch (RpcException | XdrException failed) {
            return Ended.without(new Callback.Lost());
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return Ended.without(new Callback.Lost());
        }
    }

    /** Returns whether the session of a client takes a call message of this length. */
    private boolean isTaken(Callback callback, RpcCall call, Credential credential) {
        try (var message = new XdrWriter(pool)) {
            CallMessage.encode(message, call, 0, CallProtection.of(credential), pool);
            return Long.compareUnsigned(
                            message.reducedLength(), Integer.toUnsignedLong(callback.requestMax()))
                    <= 0;
        } catch (RpcException impossible) {
            throw new IllegalStateException("this flavor protects nothing", impossible);
        }
    }

    private static Credential credential(SessionOperations.Security security) {
        return switch (security.choice()) {
            case CallbackSecurity.Sys(var stamp, var machine, var uid, var gid, var gids) ->
                    new Credential.Sys(stamp, text(machine), uid, gid, gids);
            case CallbackSecurity.None(), CallbackSecurity.Gss _ -> new Credential.None();
        };
    }

    /** Returns the name of a machine, or none if it is not short text. */
    private static String text(OpaqueName machine) {
        var text = machine.toString();
        return text.length() <= MACHINE_MAX ? text : "";
    }

    private static Callback.End end(CallbackCompound.Outcome outcome) {
        var first = outcome.results().isEmpty() ? null : outcome.results().getFirst();
        if (first instanceof CallbackResult.Sequence sequence) {
            return new Callback.Answered(sequence.targetHighestSlot());
        }
        var status =
                first instanceof CallbackResult.Plain(_, var failed) ? failed : outcome.status();
        return switch (status) {
            case DELAY -> new Callback.Postponed();
            case RETRY_UNCACHED_REP -> new Callback.Answered(-1);
            default -> new Callback.Refused();
        };
    }
}
