package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.server.served.Exports;
import io.github.rpcrdma4j.nfs.server.state.Action;
import io.github.rpcrdma4j.nfs.server.state.Callback;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackCompound;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Calls clients back over the connections of their sessions (RFC 8881, Section 20). A call that
 * finds no connection or no slot, or is longer than the session takes, is left out: these calls are
 * hints. Thread-safe.
 */
final class Callbacks {
    /** How long a client may take. Then its connection serves no calls of the server any more. */
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

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
        if (enter(notify.clientId())) {
            Thread.ofVirtual().name("nfs-callback").start(() -> notifyLock(notify));
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

    private void notifyLock(Action.NotifyLock action) {
        try {
            var file = (ExportedFile) action.file();
            var handle = exports.handle(file.export(), file.file());
            if (handle.isPresent()) {
                var fh = FileHandle.of(handle.get().bytes());
                call(action.clientId(), new CallbackArguments.NotifyLock(fh, action.owner()));
            }
        } finally {
            leave(action.clientId());
        }
    }

    private void call(long clientId, CallbackArguments operation) {
        var taken = state.read((all, now) -> all.takeCallback(clientId, now));
        if (taken.isEmpty()) {
            return;
        }
        var callback = taken.get();
        var end = call(callback, operation);
        state.read(
                (all, _) -> {
                    all.endCallback(callback, end);
                    return null;
                });
    }

    private Callback.End call(Callback callback, CallbackArguments operation) {
        var reverse = connections.reverse(callback.connection());
        if (reverse.isEmpty()) {
            return new Callback.Lost();
        }
        var sequence =
                new CallbackArguments.Sequence(
                        callback.sessionId(),
                        callback.sequence(),
                        callback.slot(),
                        callback.highestSlot(),
                        false,
                        List.of());
        var security = (SessionOperations.Security) callback.security();
        var operations = List.of(sequence, operation);
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
            return new Callback.Postponed();
        }
        try (var client = reverse.get().client(credential);
                var reply = client.call(call, TIMEOUT)) {
            return end(CallbackCompound.Outcome.decode(reply.results()));
        } catch (RpcException | XdrException failed) {
            return new Callback.Lost();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return new Callback.Lost();
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
