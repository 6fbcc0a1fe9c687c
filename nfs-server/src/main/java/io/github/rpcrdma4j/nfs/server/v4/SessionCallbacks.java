package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.server.state.Callback;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments.Sequence.ReferringCalls;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackCompound;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackResult;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackSecurity;
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
import java.util.List;
import java.util.Optional;

/** Calls clients back over the connections of their sessions (RFC 8881, Section 20). */
final class SessionCallbacks {
    /** The longest name of a machine in AUTH_SYS, in bytes. */
    private static final int MACHINE_MAX = 255;

    private final SegmentPool pool = new SegmentPool(0);
    private final StateDriver state;
    private final Connections connections;

    SessionCallbacks(StateDriver state, Connections connections) {
        this.state = state;
        this.connections = connections;
    }

    /**
     * Makes a call in a slot, and gives the slot back.
     *
     * @param referring the calls of the client that this one is about
     * @return the last result, if there is one
     */
    Optional<CallbackResult> call(
            Callback slot,
            List<ReferringCalls> referring,
            List<CallbackArguments> operations,
            Duration timeout) {
        var outcome = ended(slot, referring, operations, timeout);
        state.read(
                (all, _) -> {
                    all.endCallback(slot, outcome.end);
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

    private Ended ended(
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
        var compound =
                new CallbackCompound(Callbacks.NO_TAG, security.minorVersion(), 0, operations);
        var call =
                new RpcCall(
                        callback.program(),
                        Callbacks.VERSION,
                        Callbacks.CB_COMPOUND,
                        compound::encode,
                        Math.min(Callbacks.RESULTS_MAX, callback.responseMax()));
        var credential = credential(security);
        if (!isTaken(callback, call, credential)) {
            return Ended.without(new Callback.Postponed());
        }
        try (var client = reverse.get().client(credential);
                var reply = client.call(call, timeout)) {
            var outcome = CallbackCompound.Outcome.decode(reply.results());
            return new Ended(end(outcome), outcome.last());
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
