package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.server.driver.LocalLocks;
import io.github.rpcrdma4j.nfs.server.driver.OperationFailure;
import io.github.rpcrdma4j.nfs.server.driver.RegularFiles;
import io.github.rpcrdma4j.nfs.server.driver.StateDriver;
import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.state.event.LockCall;
import io.github.rpcrdma4j.nfs.state.event.LockOutcome;
import io.github.rpcrdma4j.nfs.state.range.ByteRange;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.state.range.RangeLock;
import io.github.rpcrdma4j.nfs.store.Permission;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v4.operation.LockArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;

/**
 * Carries out LOCK, LOCKT and LOCKU (RFC 8881, Sections 18.10 to 18.12).
 *
 * <p>Tests: {@code LockTest}.
 */
final class LockOperations {
    private final StateDriver state;
    private final LocalLocks local;

    LockOperations(StateDriver state, LocalLocks local) {
        this.state = state;
        this.local = local;
    }

    Result carryOut(Compound compound, LockArguments arguments)
            throws OperationFailure, Refusal, StoreException {
        return switch (arguments) {
            case LockArguments.Lock call -> lock(compound, call);
            case LockArguments.LockT call -> test(compound, call);
            case LockArguments.LockU call -> unlock(compound, call);
        };
    }

    private Result lock(Compound compound, LockArguments.Lock call)
            throws OperationFailure, Refusal, StoreException {
        var target = compound.regular();
        target.node()
                .require(
                        target.caller(),
                        switch (mode(call.type())) {
                            case READ -> Permission.READ;
                            case WRITE -> Permission.WRITE;
                        });
        var file = RegularFiles.key(target);
        var from =
                switch (call.locker()) {
                    case LockArguments.Locker.NewOwner(_, var open, _, var owner) ->
                            new LockCall.NewOwner(compound.resolve(open), owner.name());
                    case LockArguments.Locker.Existing(var lock, _) ->
                            new LockCall.KnownOwner(compound.resolve(lock));
                };
        var event =
                new LockCall(
                        file,
                        mode(call.type()),
                        call.type().isWaiting(),
                        call.isReclaim(),
                        call.offset(),
                        call.length(),
                        from);
        var outcome = local.completed(state.on((all, now) -> all.lock(compound.use(), event, now)));
        return switch (outcome.value()) {
            case null -> throw new OperationFailure(outcome.status());
            case LockOutcome.Granted(var stateId) -> {
                state.stored(
                        outcome,
                        (all, now) -> all.takeBackLock(compound.use(), file, stateId, now));
                compound.setCurrentStateId(stateId);
                yield new LockResult.Lock(stateId);
            }
            case LockOutcome.Denied(var conflict) -> denied(compound, Opcode.LOCK, conflict);
            case LockOutcome.Free(),
                    LockOutcome.Asked _,
                    LockOutcome.Held _,
                    LockOutcome.Awaited _ ->
                    throw new IllegalStateException("LOCK is granted or denied");
        };
    }

    private Result test(Compound compound, LockArguments.LockT call)
            throws OperationFailure, Refusal, StoreException {
        var target = compound.regular();
        target.node().require(target.caller(), Permission.TEST_LOCK);
        var file = RegularFiles.key(target);
        var type = mode(call.type());
        var outcome =
                state.on(
                        (all, now) ->
                                all.testLock(
                                        compound.use(),
                                        file,
                                        type,
                                        call.offset(),
                                        call.length(),
                                        call.owner().name(),
                                        now));
        return switch (outcome.value()) {
            case null -> throw new OperationFailure(outcome.status());
            case LockOutcome.Free() -> {
                var range = ByteRange.of(call.offset(), call.length()).orElseThrow();
                var conflict = local.conflict(compound.sender().where(), file, type, range);
                yield conflict.isPresent()
                        ? denied(compound, Opcode.LOCKT, conflict.get())
                        : Result.done(Opcode.LOCKT);
            }
            case LockOutcome.Denied(var conflict) -> denied(compound, Opcode.LOCKT, conflict);
            case LockOutcome.Granted _,
                    LockOutcome.Asked _,
                    LockOutcome.Held _,
                    LockOutcome.Awaited _ ->
                    throw new IllegalStateException("LOCKT does not lock");
        };
    }

    private Result unlock(Compound compound, LockArguments.LockU call)
            throws OperationFailure, StoreException {
        var file = compound.regularKey();
        var id = compound.resolve(call.lock());
        var stateId =
                state.results(
                        (all, now) ->
                                all.unlock(
                                        compound.use(),
                                        file,
                                        id,
                                        call.offset(),
                                        call.length(),
                                        now));
        local.settle(file);
        compound.setCurrentStateId(stateId);
        return new LockResult.LockU(stateId);
    }

    private static Result denied(Compound compound, Opcode opcode, RangeLock<StateOwner> conflict) {
        return new LockResult.Denied(
                opcode,
                conflict.range().first(),
                conflict.range().length(),
                type(conflict.type()),
                new StateOwner(holder(compound, conflict.owner()), conflict.owner().name()));
    }

    /**
     * Returns the client ID that a client gets to see of the holder of a lock. In minor version 0
     * it belongs to the owner of the lock (RFC 7530, Section 16.10.5). That of another client is a
     * secret: who knows it acts for that client, or makes sessions of it.
     */
    private static long holder(Compound compound, StateOwner owner) {
        boolean isOwn = owner.clientId() == compound.use().clientId();
        return compound.minorVersion() == 0 && isOwn ? owner.clientId() : 0;
    }

    private static LockMode mode(LockType type) {
        return switch (type) {
            case READ, READ_WAITING -> LockMode.READ;
            case WRITE, WRITE_WAITING -> LockMode.WRITE;
        };
    }

    private static LockType type(LockMode mode) {
        return switch (mode) {
            case READ -> LockType.READ;
            case WRITE -> LockType.WRITE;
        };
    }
}
