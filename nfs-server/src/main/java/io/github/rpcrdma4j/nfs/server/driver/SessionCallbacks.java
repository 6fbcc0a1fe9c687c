package io.github.rpcrdma4j.nfs.server.driver;

import io.github.rpcrdma4j.memory.BudgetExhaustedException;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.server.driver.Callbacks.CallEnd;
import io.github.rpcrdma4j.nfs.state.Callback;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments.Sequence.ReferringCalls;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackCompound;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackResult;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackSecurity;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.spi.CallMessage;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Calls clients back over the connections of their sessions (RFC 8881, Section 20). */
final class SessionCallbacks {
    /** The longest name of a machine in AUTH_SYS, in bytes. */
    private static final int MACHINE_MAX = 255;

    private static final SegmentPool POOL = new SegmentPool(0);

    private final StateDriver state;
    private final Connections connections;
    private final FailureLog failures;

    SessionCallbacks(StateDriver state, Connections connections, FailureLog failures) {
        this.state = state;
        this.connections = connections;
        this.failures = failures;
    }

    /**
     * Makes a call in a slot, and gives the slot back. A call that is longer than the session or
     * its connection carries is not made: the client asks for locks by itself, and no other call is
     * that long.
     *
     * @param referring the calls of the client that this one is about
     */
    CallEnd call(
            Callback slot,
            List<ReferringCalls> referring,
            List<CallbackArguments> operations,
            Duration timeout) {
        var outcome = ended(slot, referring, operations, timeout);
        state.read(
                (all, _) -> {
                    all.callbacks().end(slot, outcome.end);
                    return null;
                });
        return outcome.callEnd;
    }

    private Ended ended(
            Callback slot,
            List<ReferringCalls> referring,
            List<CallbackArguments> operations,
            Duration timeout) {
        try {
            return callEnd(slot, referring, operations, timeout);
        } catch (BudgetExhaustedException _) {
            return new Ended(new Callback.Postponed(), new CallEnd.NotSent());
        } catch (RuntimeException | Error broken) {
            // The client may have taken the call, so its sequence in the slot is not known.
            failures.report("an internal error in a call to an NFS client", broken);
            return Ended.notTaken(new Callback.Lost());
        }
    }

    /** How a call ended for its slot, and for who wanted it. */
    private record Ended(Callback.End end, CallEnd callEnd) {
        static Ended notTaken(Callback.End end) {
            return new Ended(end, new CallEnd.NotTaken());
        }
    }

    private Ended callEnd(
            Callback callback,
            List<ReferringCalls> referring,
            List<CallbackArguments> behind,
            Duration timeout) {
        var reverse = connections.reverse(callback.connection());
        if (reverse.isEmpty()) {
            return Ended.notTaken(new Callback.Lost());
        }
        var sequence =
                new CallbackArguments.Sequence(
                        callback.sessionId(),
                        callback.sequence(),
                        callback.slot(),
                        callback.highestSlot(),
                        false,
                        referring);
        var security = (ChosenSecurity) callback.security();
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
        var credential = credential(security.choice());
        // RFC 8267-6.5.2-2, 8267-6.5.2-3.
        long most =
                Math.min(Integer.toUnsignedLong(callback.requestMax()), reverse.get().callMax());
        if (length(call, credential) > most) {
            return Ended.notTaken(new Callback.Postponed());
        }
        try (var client = reverse.get().client(credential);
                var reply = client.call(call, timeout)) {
            var outcome = CallbackCompound.Outcome.decode(reply.results());
            return new Ended(end(outcome), new CallEnd.Answered(outcome.last()));
        } catch (RpcException.Refused refused) {
            return Ended.notTaken(end(refused.status()));
        } catch (RpcException | XdrException failed) {
            return Ended.notTaken(new Callback.Lost());
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return Ended.notTaken(new Callback.Lost());
        }
    }

    /** Returns the length of the longest CB_RECALL message with a credential, in bytes. */
    static int recallMax(CallbackSecurity choice, int minorVersion) {
        var sequence =
                new CallbackArguments.Sequence(new SessionId(0, 0), 0, 0, 0, false, List.of());
        var handle = FileHandle.of(new byte[Nfs3.HANDLE_MAX]);
        var recall = new CallbackArguments.Recall(new StateId(0, 0, 0), false, handle);
        var compound =
                new CallbackCompound(Callbacks.NO_TAG, minorVersion, 0, List.of(sequence, recall));
        var call = new RpcCall(0, Callbacks.VERSION, Callbacks.CB_COMPOUND, compound::encode, 0);
        return Math.toIntExact(length(call, credential(choice)));
    }

    /** Returns the length of a call message, in bytes. */
    private static long length(RpcCall call, Credential credential) {
        try (var message = new XdrWriter(POOL)) {
            CallMessage.encode(message, call, 0, CallProtection.of(credential), POOL);
            return message.reducedLength();
        } catch (RpcException impossible) {
            throw new IllegalStateException("this flavor protects nothing", impossible);
        }
    }

    private static Credential credential(CallbackSecurity choice) {
        return switch (choice) {
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

    private static Callback.End end(AcceptStatus status) {
        return switch (status) {
            // A gateway says so of a call that the connection of its client does not carry. A
            // client that took the call nevertheless has no cached reply, and says so of the next
            // call with this sequence (RFC 8881, Section 2.10.6.1.3).
            case SYSTEM_ERR -> new Callback.Postponed();
            case SUCCESS, PROG_UNAVAIL, PROG_MISMATCH, PROC_UNAVAIL, GARBAGE_ARGS ->
                    new Callback.Lost();
        };
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
