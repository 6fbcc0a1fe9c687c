package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.server.driver.CallerPath;
import io.github.rpcrdma4j.nfs.server.driver.OperationFailure;
import io.github.rpcrdma4j.nfs.server.driver.StateDriver;
import io.github.rpcrdma4j.nfs.v4.operation.LeaseArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LeaseResult;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import java.security.SecureRandom;

/**
 * Carries out SETCLIENTID, SETCLIENTID_CONFIRM, RENEW and RELEASE_LOCKOWNER of minor version 0 (RFC
 * 7530, Sections 16.28, 16.33, 16.34 and 16.37).
 */
final class LeaseOperations {
    private final StateDriver state;
    private final SecureRandom random = new SecureRandom();

    LeaseOperations(StateDriver state) {
        this.state = state;
    }

    Result carryOut(Compound compound, LeaseArguments arguments) throws OperationFailure {
        return switch (arguments) {
            case LeaseArguments.SetClientId call -> setClientId(compound, call);
            case LeaseArguments.SetClientIdConfirm(var clientId, var verifier) -> {
                compound.requireAdmitted();
                state.results(
                        (all, now) ->
                                all.version0()
                                        .confirmClientId(
                                                clientId, verifier, compound.sender(), now));
                yield Result.done(Opcode.SETCLIENTID_CONFIRM);
            }
            case LeaseArguments.Renew(var clientId) -> {
                state.results((all, now) -> all.version0().renew(clientId, compound.sender(), now));
                yield Result.done(Opcode.RENEW);
            }
            case LeaseArguments.ReleaseLockOwner(var owner) -> {
                state.results(
                        (all, now) ->
                                all.version0().releaseLockOwner(compound.use(), owner.name(), now));
                yield Result.done(Opcode.RELEASE_LOCKOWNER);
            }
        };
    }

    private Result setClientId(Compound compound, LeaseArguments.SetClientId call)
            throws OperationFailure {
        compound.beginNaming();
        var path =
                switch (compound.client().flavor()) {
                    case NONE, SYS -> CallerPath.of(call, compound.client()).orElse(null);
                    // The server has no credentials of RPCSEC_GSS for calls to clients.
                    case KRB5, KRB5I, KRB5P -> null;
                };
        long freshId = random.nextLong();
        long freshVerifier = random.nextLong();
        var given =
                state.results(
                        (all, now) ->
                                all.version0()
                                        .setClientId(
                                                call.owner(),
                                                path,
                                                freshId,
                                                freshVerifier,
                                                compound.sender(),
                                                now));
        return new LeaseResult.SetClientId(given.clientId(), given.verifier());
    }
}
