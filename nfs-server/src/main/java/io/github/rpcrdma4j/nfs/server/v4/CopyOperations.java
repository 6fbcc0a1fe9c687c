package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.server.driver.OperationFailure;
import io.github.rpcrdma4j.nfs.server.driver.RegularFiles;
import io.github.rpcrdma4j.nfs.server.driver.StateDriver;
import io.github.rpcrdma4j.nfs.server.served.CallTarget;
import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.state.event.StateIdUse;
import io.github.rpcrdma4j.nfs.store.OptionalOperations.Place;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.CopyArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CopyResult;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.util.Optional;

/**
 * Carries out COPY, CLONE, OFFLOAD_STATUS and OFFLOAD_CANCEL, and refuses COPY_NOTIFY (RFC 7862,
 * Sections 15.2, 15.3, 15.8, 15.9 and 15.13). Unless the operator wants asynchronous copies, all
 * copies are synchronous and of bounded length: clients go on with the rest. A client of Linux
 * hangs if it misses the CB_OFFLOAD that tells the end of an asynchronous copy.
 *
 * <p>Tests: {@code Nfs4DataTest}, {@code AsyncCopyTest}.
 */
final class CopyOperations {
    private final StateDriver state;
    private final ChangeCounter changes;
    private final Optional<Copier> copier;

    /**
     * @param copier carries out asynchronous copies, if there are any
     */
    CopyOperations(StateDriver state, ChangeCounter changes, Optional<Copier> copier) {
        this.state = state;
        this.changes = changes;
        this.copier = copier;
    }

    Result carryOut(Compound compound, CopyArguments arguments)
            throws OperationFailure, Refusal, StoreException {
        return switch (arguments) {
            case CopyArguments.Copy call -> copy(compound, call);
            case CopyArguments.Clone call -> clone(compound, call);
            // There are no copies between servers.
            case CopyArguments.CopyNotify _ -> throw new OperationFailure(Nfs4Status.NOTSUPP);
            case CopyArguments.OffloadStatus(var copy) -> status(compound, copy);
            case CopyArguments.OffloadCancel(var copy) -> cancel(compound, copy);
        };
    }

    private Result status(Compound compound, StateId argument) throws OperationFailure {
        var file = compound.regularKey();
        var id = compound.resolve(argument);
        var status =
                state.results((all, now) -> all.copies().status(compound.slot(), file, id, now));
        return new CopyResult.OffloadStatus(status.bytes(), status.end());
    }

    private Result cancel(Compound compound, StateId argument) throws OperationFailure {
        var file = compound.regularKey();
        var id = compound.resolve(argument);
        long number =
                state.results((all, now) -> all.copies().stop(compound.slot(), file, id, now));
        if (copier.isPresent()) {
            // The client may write there as soon as it has the reply.
            copier.get().awaitPart(number);
        }
        state.results((all, now) -> all.copies().cancel(compound.slot(), file, id, now));
        return Result.done(Opcode.OFFLOAD_CANCEL);
    }

    private Result copy(Compound compound, CopyArguments.Copy call)
            throws OperationFailure, Refusal, StoreException {
        if (!call.sourceServers().isEmpty()) {
            throw new OperationFailure(Nfs4Status.NOTSUPP);
        }
        var from = compound.savedRegular();
        var to = compound.regular();
        from.requireSameExport(to);
        to.requireWritable();
        var source = compound.resolveSaved(call.source());
        state.requireUseByUser(compound.use(), from, source, StateIdUse.READ);
        state.requireUseByUser(
                compound.use(), to, compound.resolve(call.target()), StateIdUse.WRITE);
        long size = from.node().status().size();
        requireRange(call.sourceOffset(), call.count(), call.targetOffset());
        long length = call.count() == 0 ? size - call.sourceOffset() : call.count();
        if (length <= 0) {
            return result(0, to.node().commit(to.caller(), to.storage()).value());
        }
        requireApart(from, to, call, length);
        var target = new Place(to.node(), call.targetOffset());
        var changed = from.node().copyRange(from.caller(), call.sourceOffset(), length, target);
        changes.changed(RegularFiles.key(to), changed);
        var written = changed.value();
        var isAll = written.bytes() == 0 || written.bytes() == length;
        if (copier.isPresent() && !call.isSynchronous() && !isAll) {
            var job =
                    new Copier.Job(
                            to.openExport(),
                            compound.client(),
                            from.node().id(),
                            newest(source),
                            call.sourceOffset(),
                            to.node().id(),
                            newest(compound.resolve(call.target())),
                            call.targetOffset(),
                            length,
                            written);
            var begun = copier.get().begin(compound, job);
            if (begun.isPresent()) {
                return new CopyResult.Copy(
                        begun, 0, Stability.UNSTABLE, written.verifier(), true, false);
            }
        }
        return new CopyResult.Copy(
                Optional.empty(),
                written.bytes(),
                written.stability(),
                written.verifier(),
                true,
                true);
    }

    /** Returns a stateid that stays valid when its open or its lock changes. */
    private static StateId newest(StateId id) {
        return id.isReserved() ? id : new StateId(0, id.upper(), id.lower());
    }

    private static Result result(long count, long verifier) {
        return new CopyResult.Copy(
                Optional.empty(), count, Stability.FILE_SYNC, verifier, true, true);
    }

    /**
     * @throws OperationFailure INVAL for a range that ends beyond the largest file
     */
    private static void requireRange(long source, long count, long target) throws OperationFailure {
        if (source < 0 || target < 0 || count < 0 || source + count < 0 || target + count < 0) {
            throw new OperationFailure(Nfs4Status.INVAL);
        }
    }

    /**
     * Checks a copy inside one file (RFC 7862, Section 15.2.3). The parts of an asynchronous copy
     * may be apart where the whole is not: it would copy what it has written.
     */
    private static void requireApart(
            CallTarget from, CallTarget to, CopyArguments.Copy call, long length)
            throws OperationFailure {
        long distance = Math.abs(call.targetOffset() - call.sourceOffset());
        if (distance < length && RegularFiles.key(from).equals(RegularFiles.key(to))) {
            throw new OperationFailure(Nfs4Status.INVAL);
        }
    }

    private Result clone(Compound compound, CopyArguments.Clone call)
            throws OperationFailure, Refusal, StoreException {
        var from = compound.savedRegular();
        var to = compound.regular();
        from.requireSameExport(to);
        to.requireWritable();
        state.requireUseByUser(
                compound.use(), from, compound.resolveSaved(call.source()), StateIdUse.READ);
        state.requireUseByUser(
                compound.use(), to, compound.resolve(call.target()), StateIdUse.WRITE);
        requireRange(call.sourceOffset(), call.count(), call.targetOffset());
        var target = new Place(to.node(), call.targetOffset());
        var changed =
                from.node()
                        .cloneRange(
                                from.caller(),
                                call.sourceOffset(),
                                call.count(),
                                target,
                                to.storage());
        changes.changed(RegularFiles.key(to), changed);
        return Result.done(Opcode.CLONE);
    }
}
