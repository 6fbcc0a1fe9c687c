package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.v4.session.BackSlots;
import io.github.rpcrdma4j.nfs.v4.CompoundKind;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.Operation;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackCompound;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackOpcode;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackResult;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * The program of callbacks: it carries out the calls of the server on the back channel of the
 * session (RFC 8881, Section 20). The client has no delegations, layouts or caches, so most
 * callbacks find nothing of what they name. Thread-safe.
 *
 * <p>Tests: {@code BackChannelTest}.
 */
final class BackChannel implements RpcProgram {
    /** What the server tells a client by callbacks. The events return at once. */
    interface Events {
        /** A lock that was refused may be free now. */
        void lockMayBeFree(CallbackArguments.NotifyLock notice);

        /**
         * The server wants to see no slot used behind one.
         *
         * @param highest the number of that slot, unsigned
         */
        default void slotsRecalled(int highest) {}

        /** A copy has ended that went on after its reply, or a copy of another client. */
        default void copyEnded(CallbackArguments.Offload end) {}
    }

    /** The program number; any one will do (RFC 8881, Section 18.36.3). */
    static final int PROGRAM = 0x4000_0000;

    /** The most callbacks of a call: CB_SEQUENCE, and one for each kind at most. */
    static final int CALLBACKS_MAX = 8;

    private static final int VERSION = 1;
    private static final int NULL = 0;
    private static final int CB_COMPOUND = 1;

    private final int minorVersion;
    private final Events events;

    /** Guarded by this object, like the fields below; null before the first session. */
    private SessionId session;

    private BackSlots slots = new BackSlots();

    BackChannel(int minorVersion, Events events) {
        this.minorVersion = minorVersion;
        this.events = events;
    }

    /** Begins with a session. Callbacks of another one are refused. */
    synchronized void begin(SessionId made) {
        session = made;
        slots = new BackSlots();
    }

    @Override
    public ProgramId id() {
        return new ProgramId(PROGRAM, VERSION);
    }

    @Override
    public AcceptStatus call(RpcRequest request, XdrWriter results) throws XdrException {
        return switch (request.procedure()) {
            case NULL -> AcceptStatus.SUCCESS;
            case CB_COMPOUND -> {
                answer(request.arguments()).encode(results);
                yield AcceptStatus.SUCCESS;
            }
            default -> AcceptStatus.PROC_UNAVAIL;
        };
    }

    /**
     * Answers a CB_COMPOUND.
     *
     * @throws XdrException if it is malformed
     */
    CallbackCompound.Outcome answer(XdrReader arguments) throws XdrException {
        return Received.decode(arguments).answer(this);
    }

    /**
     * A call, as far as it can be understood.
     *
     * @param callbacks those in front of the one that cannot be carried out
     * @param refused the answer to that one; null if there is none
     */
    private record Received(
            OpaqueName tag,
            int minorVersion,
            List<CallbackArguments> callbacks,
            CallbackResult refused) {
        static Received decode(XdrReader in) throws XdrException {
            var tag = OpaqueName.decode(in);
            int minorVersion = in.uint32();
            // An ident is of minor version 0.
            in.uint32();
            int count = in.uint32();
            var callbacks = new ArrayList<CallbackArguments>();
            for (int i = 0; i < Math.min(count & Integer.MAX_VALUE, CALLBACKS_MAX); i++) {
                int number = in.peekUint32();
                if (!isKnown(number)) {
                    return new Received(tag, minorVersion, callbacks, unknown(number));
                }
                callbacks.add(CallbackArguments.decode(in));
            }
            var refused =
                    Integer.compareUnsigned(count, CALLBACKS_MAX) > 0
                            ? new CallbackResult.Plain(in.peekUint32(), Nfs4Status.TOO_MANY_OPS)
                            : null;
            return new Received(tag, minorVersion, callbacks, refused);
        }

        private static boolean isKnown(int number) {
            for (var each : CallbackOpcode.values()) {
                if (each.number() == number) {
                    return true;
                }
            }
            return false;
        }

        /** Callbacks of layouts, directories and devices are of what this client never has. */
        private static CallbackResult unknown(int number) {
            var operation = Operation.of(CompoundKind.CB_COMPOUND, number);
            return operation.isPresent() && number != illegal()
                    ? new CallbackResult.Plain(number, Nfs4Status.NOTSUPP)
                    : new CallbackResult.Plain(illegal(), Nfs4Status.OP_ILLEGAL);
        }

        private static int illegal() {
            return Operation.of(CompoundKind.CB_COMPOUND, "CB_ILLEGAL").orElseThrow().number();
        }

        CallbackCompound.Outcome answer(BackChannel channel) {
            if (minorVersion != channel.minorVersion) {
                return new CallbackCompound.Outcome(Nfs4Status.MINOR_VERS_MISMATCH, tag, List.of());
            }
            if (callbacks.isEmpty() && refused == null) {
                return new CallbackCompound.Outcome(Nfs4Status.OK, tag, List.of());
            }
            if (callbacks.isEmpty()
                    || !(callbacks.getFirst() instanceof CallbackArguments.Sequence sequence)) {
                int number =
                        callbacks.isEmpty()
                                ? refused.number()
                                : callbacks.getFirst().opcode().number();
                return ended(
                        List.of(new CallbackResult.Plain(number, Nfs4Status.OP_NOT_IN_SESSION)));
            }
            return channel.answer(this, sequence);
        }

        CallbackCompound.Outcome ended(List<CallbackResult> results) {
            return new CallbackCompound.Outcome(results.getLast().status(), tag, results);
        }
    }

    private synchronized CallbackCompound.Outcome answer(
            Received call, CallbackArguments.Sequence sequence) {
        if (!sequence.session().equals(session)) {
            return call.ended(List.of(refusal(Nfs4Status.BADSESSION)));
        }
        return switch (slots.begin(sequence.slot(), sequence.sequence())) {
            case BackSlots.Decision.Refuse(var status) -> call.ended(List.of(refusal(status)));
            case BackSlots.Decision.Repeat(var reply) -> reply;
            case BackSlots.Decision.CarryOut() -> {
                var reply = call.ended(results(call, sequence));
                slots.end(sequence.slot(), reply);
                yield reply;
            }
        };
    }

    private static CallbackResult refusal(Nfs4Status status) {
        return new CallbackResult.Plain(CallbackOpcode.CB_SEQUENCE.number(), status);
    }

    private List<CallbackResult> results(Received call, CallbackArguments.Sequence sequence) {
        var results = new ArrayList<CallbackResult>();
        results.add(
                new CallbackResult.Sequence(
                        sequence.session(),
                        sequence.sequence(),
                        sequence.slot(),
                        BackSlots.COUNT - 1,
                        BackSlots.COUNT - 1));
        for (var each : call.callbacks.subList(1, call.callbacks.size())) {
            var status = carryOut(each);
            results.add(new CallbackResult.Plain(each.opcode().number(), status));
            if (status != Nfs4Status.OK) {
                return results;
            }
        }
        if (call.refused != null) {
            results.add(call.refused);
        }
        return results;
    }

    private Nfs4Status carryOut(CallbackArguments callback) {
        return switch (callback) {
            case CallbackArguments.GetAttr _ -> Nfs4Status.BADHANDLE;
            case CallbackArguments.Recall _ -> Nfs4Status.BAD_STATEID;
            case CallbackArguments.RecallAny _ -> Nfs4Status.OK;
            case CallbackArguments.Offload end -> {
                events.copyEnded(end);
                yield Nfs4Status.OK;
            }
            case CallbackArguments.RecallSlot(var highest) -> {
                events.slotsRecalled(highest);
                yield Nfs4Status.OK;
            }
            case CallbackArguments.NotifyLock notice -> {
                events.lockMayBeFree(notice);
                yield Nfs4Status.OK;
            }
            case CallbackArguments.Sequence _ -> Nfs4Status.SEQUENCE_POS;
        };
    }
}
