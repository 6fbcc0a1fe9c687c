package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.server.driver.OperationFailure;
import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CopyArguments;
import io.github.rpcrdma4j.nfs.v4.operation.DataArguments;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LeaseArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockArguments;
import io.github.rpcrdma4j.nfs.v4.operation.NameArguments;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.XattrArguments;

/**
 * Carries out any operation of a COMPOUND but SEQUENCE: passes it to the class for operations of
 * its kind.
 */
record Operations(
        SessionOperations sessions,
        ClientUses uses,
        LeaseOperations leases,
        OwnerOperations owners,
        HandleOperations handles,
        OpenOperations opens,
        LockOperations locks,
        DataOperations data,
        CopyOperations copies,
        XattrOperations xattrs,
        NameOperations names,
        AttributeOperations attributes) {
    /**
     * Carries out an operation.
     *
     * @param isLast whether no operation follows in the COMPOUND
     */
    Answer carryOut(Compound compound, Arguments arguments, boolean isLast)
            throws OperationFailure, Refusal, StoreException {
        if (compound.minorVersion() == 0) {
            compound.actFor(uses.of(compound, arguments));
            var owned = OwnerOperations.call(arguments);
            if (owned.isPresent()) {
                return owners.carryOut(compound, arguments, owned.get());
            }
        }
        return switch (arguments) {
            case SessionArguments call -> Answer.of(sessions.carryOut(compound, call, isLast));
            case HandleArguments call -> Answer.of(handles.carryOut(compound, call));
            case StateArguments call -> Answer.of(opens.carryOut(compound, call));
            case LockArguments call -> Answer.of(locks.carryOut(compound, call));
            case DataArguments call -> data.carryOut(compound, call);
            case NameArguments call -> names.carryOut(compound, call);
            case AttributeArguments call -> attributes.carryOut(compound, call);
            case CopyArguments call -> Answer.of(copies.carryOut(compound, call));
            case XattrArguments call -> Answer.of(xattrs.carryOut(compound, call));
            case LeaseArguments call -> Answer.of(leases.carryOut(compound, call));
            case Arguments.NotSupported _ -> throw new OperationFailure(Nfs4Status.NOTSUPP);
            case Arguments.Illegal _ -> throw new OperationFailure(Nfs4Status.OP_ILLEGAL);
        };
    }

    /**
     * Carries out CLOSE or DELEGRETURN of a file that is gone, although an operation before it has
     * failed. It takes no turn of its owner in minor version 0, since the client does not count it.
     *
     * @throws OperationFailure if the client does not have what it names
     */
    void endUseOfGoneFile(Compound compound, StateArguments arguments) throws OperationFailure {
        if (compound.minorVersion() == 0) {
            compound.actFor(uses.of(compound, arguments));
        }
        opens.endUseOfGoneFile(compound, arguments);
    }
}
