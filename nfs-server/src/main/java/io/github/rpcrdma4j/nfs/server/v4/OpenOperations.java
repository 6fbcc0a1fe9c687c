package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.server.driver.LocalLeases;
import io.github.rpcrdma4j.nfs.server.driver.LocalLocks;
import io.github.rpcrdma4j.nfs.server.driver.OperationFailure;
import io.github.rpcrdma4j.nfs.server.driver.StateDriver;
import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.util.ArrayList;

/**
 * Carries out CLOSE, DELEGRETURN, OPEN_DOWNGRADE, FREE_STATEID and TEST_STATEID (RFC 8881, Sections
 * 18.2, 18.6, 18.18, 18.38 and 18.48), and OPEN_CONFIRM of minor version 0 (RFC 7530, Section
 * 16.18). {@link Opening} carries out OPEN.
 */
final class OpenOperations {
    private final StateDriver state;
    private final Opening opening;
    private final LocalLocks locks;
    private final LocalLeases leases;

    OpenOperations(StateDriver state, Opening opening, LocalLocks locks, LocalLeases leases) {
        this.state = state;
        this.opening = opening;
        this.locks = locks;
        this.leases = leases;
    }

    Result carryOut(Compound compound, StateArguments arguments)
            throws OperationFailure, Refusal, StoreException {
        return switch (arguments) {
            case StateArguments.Open call -> opening.open(compound, call);
            case StateArguments.Close(_, var open) -> close(compound, open);
            case StateArguments.OpenConfirm(var open, _) -> confirm(compound, open);
            case StateArguments.OpenDowngrade call -> downgrade(compound, call);
            case StateArguments.DelegReturn(var delegation) -> giveBack(compound, delegation);
            case StateArguments.TestStateId call -> test(compound, call);
            case StateArguments.FreeStateId(var named) -> {
                var id = compound.resolve(named);
                state.results((all, now) -> all.freeStateId(compound.slot(), id, now));
                yield Result.done(Opcode.FREE_STATEID);
            }
        };
    }

    private Result close(Compound compound, StateId open) throws OperationFailure, StoreException {
        // The file may have lost its last name.
        var file = compound.regularKey();
        var id = compound.resolve(open);
        state.results((all, now) -> all.close(compound.use(), file, id, now));
        locks.settle(file);
        compound.setCurrentStateId(StateId.INVALID);
        return new StateResult.Close(
                compound.minorVersion() == 0
                        ? id.withSequence(id.sequence() + 1)
                        : StateId.INVALID);
    }

    /** Carries out CLOSE or DELEGRETURN, and nothing else. Waits for nothing. */
    void endUseOfGoneFile(Compound compound, StateArguments arguments) throws OperationFailure {
        switch (arguments) {
            case StateArguments.Close(_, var named) -> {
                var file = compound.regularKey();
                var open = compound.resolve(named);
                state.happen((all, now) -> all.close(compound.use(), file, open, now));
            }
            case StateArguments.DelegReturn(var delegation) -> giveBack(compound, delegation);
            case StateArguments.Open _,
                    StateArguments.OpenConfirm _,
                    StateArguments.OpenDowngrade _,
                    StateArguments.TestStateId _,
                    StateArguments.FreeStateId _ -> {}
        }
    }

    private Result confirm(Compound compound, StateId open) throws OperationFailure {
        var file = compound.regularKey();
        return new StateResult.OpenConfirm(
                state.results(
                        (all, now) -> all.version0().confirmOpen(compound.use(), file, open, now)));
    }

    private Result giveBack(Compound compound, StateId delegation) throws OperationFailure {
        // The file may have lost its last name.
        var file = compound.regularKey();
        var id = compound.resolve(delegation);
        state.results((all, now) -> all.delegations().giveBack(compound.use(), file, id, now));
        leases.settle(file);
        return Result.done(Opcode.DELEGRETURN);
    }

    private Result downgrade(Compound compound, StateArguments.OpenDowngrade call)
            throws OperationFailure {
        var file = compound.regularKey();
        var id = compound.resolve(call.open());
        int access = call.access() & StateArguments.Open.BOTH;
        var stateId =
                state.results(
                        (all, now) ->
                                all.downgrade(compound.use(), file, id, access, call.deny(), now));
        compound.setCurrentStateId(stateId);
        return new StateResult.OpenDowngrade(stateId);
    }

    private Result test(Compound compound, StateArguments.TestStateId call) {
        var statuses = new ArrayList<Nfs4Status>();
        for (var id : call.stateIds()) {
            statuses.add(state.read((all, _) -> all.testStateId(compound.slot(), id)));
        }
        return new StateResult.TestStateId(statuses);
    }
}
