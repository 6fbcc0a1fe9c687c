package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.server.driver.ExportedFile;
import io.github.rpcrdma4j.nfs.server.driver.OperationFailure;
import io.github.rpcrdma4j.nfs.server.driver.StateDriver;
import io.github.rpcrdma4j.nfs.server.driver.Statuses;
import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.state.OwnerTurn;
import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.state.event.OwnerCall;
import io.github.rpcrdma4j.nfs.state.event.OwnerReply;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockArguments;
import io.github.rpcrdma4j.nfs.v4.operation.OpenClaim;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/**
 * Carries out the operations that an open-owner or lock-owner of minor version 0 numbers with a
 * seqid, in the order of the seqids, and answers a repeated one with the result that it kept (RFC
 * 7530, Sections 9.1.7 and 9.1.8).
 *
 * <p>Tests: {@code Nfs40Test}, {@code HostileOwnersTest}.
 */
final class OwnerOperations {
    private final StateDriver state;
    private final OpenOperations opens;
    private final LockOperations locks;

    OwnerOperations(StateDriver state, OpenOperations opens, LockOperations locks) {
        this.state = state;
        this.opens = opens;
        this.locks = locks;
    }

    /** Returns what an operation says about its owner; nothing if it is of no owner. */
    static Optional<OwnerCall> call(Arguments arguments) {
        return Optional.ofNullable(
                switch (arguments) {
                    case StateArguments.Open open ->
                            new OwnerCall.Opening(
                                    open.owner().name(),
                                    open.sequence(),
                                    !(open.claim() instanceof OpenClaim.Name));
                    case StateArguments.OpenConfirm(var open, int sequence) ->
                            new OwnerCall.Holding(open, sequence);
                    case StateArguments.OpenDowngrade call ->
                            new OwnerCall.Holding(call.open(), call.sequence());
                    case StateArguments.Close(int sequence, var open) ->
                            new OwnerCall.Holding(open, sequence);
                    case LockArguments.LockU call ->
                            new OwnerCall.Holding(call.lock(), call.sequence());
                    case LockArguments.Lock call -> call(call.locker());
                    default -> null;
                });
    }

    private static OwnerCall call(LockArguments.Locker locker) {
        return switch (locker) {
            case LockArguments.Locker.NewOwner(int opening, var open, int locking, var owner) ->
                    new OwnerCall.NewLock(open, opening, owner.name(), locking);
            case LockArguments.Locker.Existing(var lock, int sequence) ->
                    new OwnerCall.Holding(lock, sequence);
        };
    }

    /**
     * Carries out an operation, or answers it once more.
     *
     * @param call what it says about its owner
     * @return its result, also if it failed in its turn
     * @throws OperationFailure if it has no turn
     */
    Answer carryOut(Compound compound, Arguments arguments, OwnerCall call)
            throws OperationFailure, StoreException {
        requireVersion0(arguments);
        var turn = state.results((all, now) -> all.version0().beginTurn(compound.use(), call, now));
        return Answer.of(
                switch (turn) {
                    case OwnerTurn.Repeated(var reply) -> repeated(compound, arguments, reply);
                    case OwnerTurn.Next next -> carryOut(compound, arguments, next);
                });
    }

    /**
     * @throws OperationFailure BADXDR for the values of unions that later minor versions have
     *     added, INVAL for their bits
     */
    private static void requireVersion0(Arguments arguments) throws OperationFailure {
        if (!(arguments instanceof StateArguments.Open open)) {
            return;
        }
        boolean isLater =
                switch (open.claim()) {
                    case OpenClaim.Handle _,
                            OpenClaim.DelegatedHandle _,
                            OpenClaim.DelegatedHandleBefore _ ->
                            true;
                    case OpenClaim.Name _,
                            OpenClaim.Previous _,
                            OpenClaim.DelegatedName _,
                            OpenClaim.DelegatedNameBefore _ ->
                            false;
                };
        if (isLater || open.creation() instanceof OpenCreation.ExclusiveWithAttributes) {
            throw new OperationFailure(Nfs4Status.BADXDR);
        }
    }

    private Result carryOut(Compound compound, Arguments arguments, OwnerTurn.Next turn)
            throws OperationFailure, StoreException {
        // What is interrupted or goes wrong here does not count.
        var status = Nfs4Status.RESOURCE;
        var reply = new OwnerReply(new byte[0], Optional.empty());
        try {
            var result = result(compound, arguments);
            if (result instanceof StateResult.Open open && turn.isUnconfirmed()) {
                result =
                        new StateResult.Open(
                                open.open(),
                                open.change(),
                                open.flags() | StateResult.Open.CONFIRM,
                                open.set(),
                                open.delegation());
            }
            reply = new OwnerReply(bytes(compound, result), opened(compound, result));
            status = result.status();
            return result;
        } finally {
            var outcome = status;
            var kept = reply;
            state.happen((all, now) -> all.version0().endTurn(turn, outcome, kept, now));
        }
    }

    private Result result(Compound compound, Arguments arguments) throws StoreException {
        var opcode = arguments.opcode();
        try {
            return switch (arguments) {
                case StateArguments call -> opens.carryOut(compound, call);
                case LockArguments call -> locks.carryOut(compound, call);
                default -> throw new IllegalArgumentException(opcode + " has no owner");
            };
        } catch (OperationFailure failure) {
            return Result.failed(opcode, Statuses.ofVersion0(opcode, failure.status()));
        } catch (Refusal refusal) {
            return Result.failed(opcode, Statuses.of(refusal.failure()));
        } catch (StoreException failure) {
            if (Thread.currentThread().isInterrupted()) {
                throw failure;
            }
            return Result.failed(opcode, Statuses.of(failure.failure()));
        }
    }

    private static byte[] bytes(Compound compound, Result result) {
        try (var out = new XdrWriter(compound.pool())) {
            result.encode(out);
            return out.reducedStream().toArray(ValueLayout.JAVA_BYTE);
        }
    }

    /** Returns the file that OPEN has made the current one. */
    private static Optional<FileKey> opened(Compound compound, Result result)
            throws OperationFailure {
        return result instanceof StateResult.Open
                ? Optional.of(compound.regularKey())
                : Optional.empty();
    }

    /**
     * @throws OperationFailure BAD_SEQID if the last operation of the owner was another one, STALE
     *     if the export of its file is gone
     */
    private static Result repeated(Compound compound, Arguments arguments, OwnerReply reply)
            throws OperationFailure {
        try {
            var result = Result.decode(new XdrReader(MemorySegment.ofArray(reply.result())));
            if (result.opcode() != arguments.opcode()) {
                throw new OperationFailure(Nfs4Status.BAD_SEQID);
            }
            if (reply.opened().isPresent()) {
                var file = (ExportedFile) reply.opened().get();
                compound.setCurrent(HandleOperations.exported(compound, file));
            }
            return result;
        } catch (XdrException damaged) {
            throw new IllegalStateException("a kept result is damaged", damaged);
        }
    }
}
