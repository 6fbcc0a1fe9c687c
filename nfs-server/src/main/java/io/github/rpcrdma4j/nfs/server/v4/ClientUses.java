package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.server.driver.OperationFailure;
import io.github.rpcrdma4j.nfs.server.driver.StateDriver;
import io.github.rpcrdma4j.nfs.state.ClientUse;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeArguments;
import io.github.rpcrdma4j.nfs.v4.operation.DataArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LeaseArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.type.StateId;

/**
 * Finds the client that an operation of minor version 0 names by a client ID or a stateid, and
 * renews the lease of that client.
 */
final class ClientUses {
    private final StateDriver state;

    ClientUses(StateDriver state) {
        this.state = state;
    }

    /**
     * Returns the client of an operation.
     *
     * @throws OperationFailure STALE_CLIENTID, BAD_STATEID, STALE_STATEID or EXPIRED
     */
    ClientUse of(Compound compound, Arguments arguments) throws OperationFailure {
        return switch (arguments) {
            case StateArguments call -> of(compound, call);
            case LockArguments.Lock call ->
                    switch (call.locker()) {
                        case LockArguments.Locker.NewOwner(_, var open, _, var owner) ->
                                locking(compound, owner.clientId(), open);
                        case LockArguments.Locker.Existing(var lock, _) -> holding(compound, lock);
                    };
            case LockArguments.LockT call -> named(compound, call.owner().clientId());
            case LockArguments.LockU call -> holding(compound, call.lock());
            case LeaseArguments.ReleaseLockOwner(var owner) -> named(compound, owner.clientId());
            case DataArguments.Read call -> ofData(compound, call.stateId());
            case DataArguments.Write call -> ofData(compound, call.stateId());
            case AttributeArguments.SetAttr call
                    when call.attributes().attributes().has(Attribute.SIZE) ->
                    ofData(compound, call.stateId());
            default -> nameless(compound);
        };
    }

    private ClientUse of(Compound compound, StateArguments arguments) throws OperationFailure {
        return switch (arguments) {
            case StateArguments.Open call -> named(compound, call.owner().clientId());
            case StateArguments.OpenConfirm call -> holding(compound, call.open());
            case StateArguments.OpenDowngrade call -> holding(compound, call.open());
            case StateArguments.Close call -> holding(compound, call.open());
            case StateArguments.DelegReturn(var delegation) -> holding(compound, delegation);
            case StateArguments.TestStateId _, StateArguments.FreeStateId _ ->
                    throw new IllegalArgumentException("minor version 0 has no such operation");
        };
    }

    private ClientUse ofData(Compound compound, StateId id) throws OperationFailure {
        boolean isSpecial = id.equals(StateId.ANONYMOUS) || id.equals(StateId.READ_BYPASS);
        return isSpecial ? nameless(compound) : holding(compound, id);
    }

    private ClientUse nameless(Compound compound) {
        return state.read((all, _) -> all.version0().nameless(compound.sender()));
    }

    private ClientUse named(Compound compound, long clientId) throws OperationFailure {
        return state.results((all, now) -> all.version0().named(clientId, compound.sender(), now));
    }

    private ClientUse locking(Compound compound, long clientId, StateId open)
            throws OperationFailure {
        return state.results(
                (all, now) -> all.version0().locking(clientId, open, compound.sender(), now));
    }

    private ClientUse holding(Compound compound, StateId id) throws OperationFailure {
        return state.results((all, now) -> all.version0().holding(id, compound.sender(), now));
    }
}
