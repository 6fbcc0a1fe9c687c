package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.server.driver.ChosenSecurity;
import io.github.rpcrdma4j.nfs.server.driver.OperationFailure;
import io.github.rpcrdma4j.nfs.server.driver.ServerIdentity;
import io.github.rpcrdma4j.nfs.server.driver.StateDriver;
import io.github.rpcrdma4j.nfs.state.event.CreateSessionCall;
import io.github.rpcrdma4j.nfs.state.event.ExchangeIdCall;
import io.github.rpcrdma4j.nfs.state.event.Protection;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackSecurity;
import io.github.rpcrdma4j.nfs.v4.operation.Implementation;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.nfs.v4.operation.SessionResult;
import io.github.rpcrdma4j.nfs.v4.operation.StateProtection;
import io.github.rpcrdma4j.nfs.v4.type.Bitmap;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Carries out the operations on clients and sessions, such as EXCHANGE_ID and CREATE_SESSION, but
 * not SEQUENCE (RFC 8881, Sections 18.33 to 18.37, 18.50, 18.51). {@link Compounds} carries out
 * SEQUENCE.
 *
 * <p>Tests: {@code CompoundRulesTest}, {@code HostileSessionsTest}.
 */
final class SessionOperations {
    private final StateDriver state;
    private final ServerIdentity identity;
    private final SecureRandom random = new SecureRandom();

    SessionOperations(StateDriver state, ServerIdentity identity) {
        this.state = state;
        this.identity = identity;
    }

    Result carryOut(Compound compound, SessionArguments arguments, boolean isLast)
            throws OperationFailure {
        return switch (arguments) {
            case SessionArguments.ExchangeId call -> exchangeId(compound, call);
            case SessionArguments.CreateSession call -> createSession(compound, call);
            case SessionArguments.DestroySession call -> destroySession(compound, call, isLast);
            case SessionArguments.DestroyClientId call -> destroyClientId(compound, call);
            case SessionArguments.BindConnToSession call -> bind(compound, call);
            case SessionArguments.BackchannelCtl call -> control(compound, call);
            case SessionArguments.ReclaimComplete call -> reclaimComplete(compound, call);
            // No client has an SSV, because EXCHANGE_ID refuses it.
            case SessionArguments.SetSsv _ -> throw new OperationFailure(Nfs4Status.INVAL);
            case SessionArguments.Sequence _ ->
                    throw new IllegalStateException("SEQUENCE begins a COMPOUND");
        };
    }

    private Result exchangeId(Compound compound, SessionArguments.ExchangeId call)
            throws OperationFailure {
        compound.beginNaming();
        var event =
                new ExchangeIdCall(
                        call.owner(),
                        call.flags(),
                        protection(call.protection()),
                        call.implementation().map(SessionOperations::text).orElse(""));
        long fresh = random.nextLong();
        var granted =
                state.results((all, now) -> all.exchangeId(event, fresh, compound.sender(), now));
        return new SessionResult.ExchangeId(
                granted.clientId(),
                granted.sequence(),
                granted.flags(),
                protection(granted.protection()),
                0,
                identity.owner(),
                identity.scope(),
                Optional.empty());
    }

    private static String text(Implementation implementation) {
        return implementation.name().toString();
    }

    /**
     * @throws OperationFailure ENCR_ALG_UNSUPP for SSV
     */
    private static Protection protection(StateProtection asked) throws OperationFailure {
        return switch (asked) {
            case StateProtection.None() -> Protection.NONE;
            case StateProtection.MachineCredential(var enforce, var allow) ->
                    Protection.machine(numbers(enforce), numbers(allow));
            case StateProtection.Ssv _ -> throw new OperationFailure(Nfs4Status.ENCR_ALG_UNSUPP);
        };
    }

    private static StateProtection protection(Protection granted) {
        return granted.isMachine()
                ? new StateProtection.MachineCredential(
                        bitmap(granted.enforced()), bitmap(granted.allowed()))
                : new StateProtection.None();
    }

    private static Set<Integer> numbers(Bitmap bitmap) {
        var numbers = new TreeSet<Integer>();
        for (int i = bitmap.next(0); i >= 0; i = bitmap.next(i + 1)) {
            numbers.add(i);
        }
        return numbers;
    }

    private static Bitmap bitmap(Set<Integer> numbers) {
        return Bitmap.of(numbers.stream().mapToInt(Integer::intValue).toArray());
    }

    private Result createSession(Compound compound, SessionArguments.CreateSession call)
            throws OperationFailure {
        compound.requireAdmitted();
        var event =
                new CreateSessionCall(
                        call.clientId(),
                        call.sequence(),
                        call.flags(),
                        call.fore(),
                        call.back(),
                        call.callbackProgram(),
                        security(compound, call.callbackSecurity()));
        var fresh = new SessionId(random.nextLong(), random.nextLong());
        var created =
                state.results(
                        (all, now) -> all.createSession(event, fresh, compound.sender(), now));
        return new SessionResult.CreateSession(
                created.id(), created.sequence(), created.flags(), created.fore(), created.back());
    }

    /**
     * Chooses how to call a client back.
     *
     * @throws OperationFailure NOENT if the client wants RPCSEC_GSS alone: the server knows no
     *     contexts for its calls (RFC 8881, Section 18.36.3)
     */
    private static ChosenSecurity security(Compound compound, List<CallbackSecurity> choices)
            throws OperationFailure {
        for (var each : choices) {
            switch (each) {
                case CallbackSecurity.Sys _, CallbackSecurity.None _ -> {
                    return new ChosenSecurity(each, compound.minorVersion());
                }
                case CallbackSecurity.Gss _ -> {}
            }
        }
        if (!choices.isEmpty()) {
            throw new OperationFailure(Nfs4Status.NOENT);
        }
        return new ChosenSecurity(new CallbackSecurity.None(), compound.minorVersion());
    }

    private Result destroySession(
            Compound compound, SessionArguments.DestroySession call, boolean isLast)
            throws OperationFailure {
        var own = compound.slot();
        if (own != null && own.sessionId().equals(call.session()) && !isLast) {
            throw new OperationFailure(Nfs4Status.NOT_ONLY_OP);
        }
        state.results(
                (all, now) -> all.destroySession(call.session(), own, compound.sender(), now));
        return Result.done(Opcode.DESTROY_SESSION);
    }

    private Result destroyClientId(Compound compound, SessionArguments.DestroyClientId call)
            throws OperationFailure {
        state.results((all, now) -> all.destroyClientId(call.clientId(), compound.sender(), now));
        return Result.done(Opcode.DESTROY_CLIENTID);
    }

    private Result bind(Compound compound, SessionArguments.BindConnToSession call)
            throws OperationFailure {
        var bound =
                state.results(
                        (all, now) ->
                                all.bindConnection(
                                        call.session(), call.direction(), compound.sender(), now));
        // The connection is in RDMA mode if the transport is.
        return new SessionResult.BindConnToSession(call.session(), bound, false);
    }

    private Result control(Compound compound, SessionArguments.BackchannelCtl call)
            throws OperationFailure {
        var security = security(compound, call.callbackSecurity());
        state.results(
                (all, now) ->
                        all.controlBackChannel(
                                compound.slot(), call.callbackProgram(), security, now));
        return Result.done(Opcode.BACKCHANNEL_CTL);
    }

    private Result reclaimComplete(Compound compound, SessionArguments.ReclaimComplete call)
            throws OperationFailure {
        if (call.isOneFileSystem()) {
            compound.current();
        }
        state.results(
                (all, now) -> all.reclaimComplete(compound.slot(), call.isOneFileSystem(), now));
        return Result.done(Opcode.RECLAIM_COMPLETE);
    }
}
