package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.v4.SimCompound.Failure;
import io.github.rpcrdma4j.nfs.server.driver.Statuses;
import io.github.rpcrdma4j.nfs.state.ClientUse;
import io.github.rpcrdma4j.nfs.state.LeaseEvents;
import io.github.rpcrdma4j.nfs.state.OwnerTurn;
import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.state.event.OwnerCall;
import io.github.rpcrdma4j.nfs.state.event.OwnerReply;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.DataArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LeaseArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LeaseResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockArguments;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.OpenClaim;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The operations of a {@link SimCompound} of minor version 0: each names its client, and those of
 * an owner come in the order of their numbers.
 */
final class SimOwners {
    private final SimCompound compound;
    private final SimServer server;
    private final LeaseEvents leases;

    SimOwners(SimCompound compound) {
        this.compound = compound;
        this.server = compound.server;
        this.leases = server.state.version0();
    }

    /** Carries out an operation for the client that it names. */
    Result carryOut(Arguments next) throws Failure {
        compound.client = client(next);
        var call = ofOwner(next);
        if (call.isEmpty()) {
            return unordered(next);
        }
        var client = compound.client;
        var turn = server.ok(() -> leases.beginTurn(client, call.get(), server.now()));
        return switch (turn) {
            case OwnerTurn.Repeated(var reply) -> repeated(next, reply);
            case OwnerTurn.Next own -> inTurn(next, own);
        };
    }

    private Result unordered(Arguments next) throws Failure {
        server.faults.beforeOperation(next.opcode());
        return next instanceof LeaseArguments lease ? lease(lease) : compound.carryOut(next);
    }

    private Result inTurn(Arguments next, OwnerTurn.Next turn) {
        Result result;
        try {
            server.faults.beforeOperation(next.opcode());
            result = compound.carryOut(next);
        } catch (Failure failure) {
            result =
                    Result.failed(
                            next.opcode(), Statuses.ofVersion0(next.opcode(), failure.status));
        }
        Optional<FileKey> opened = Optional.empty();
        if (result instanceof StateResult.Open open) {
            opened = Optional.of(new SimFiles.Key(compound.current));
            result =
                    new StateResult.Open(
                            open.open(),
                            open.change(),
                            open.flags() | (turn.isUnconfirmed() ? StateResult.Open.CONFIRM : 0),
                            open.set(),
                            open.delegation());
        }
        var told = result;
        var reply = new OwnerReply(SimCompound.encoded(told::encode), opened);
        server.run(leases.endTurn(turn, told.status(), reply, server.now()));
        return told;
    }

    private Result repeated(Arguments next, OwnerReply reply) throws Failure {
        try {
            var result = Result.decode(new XdrReader(MemorySegment.ofArray(reply.result())));
            if (result.opcode() != next.opcode()) {
                throw new Failure(Nfs4Status.BAD_SEQID);
            }
            reply.opened().ifPresent(each -> compound.setCurrent(((SimFiles.Key) each).id()));
            return result;
        } catch (XdrException damaged) {
            throw new AssertionError(damaged);
        }
    }

    private ClientUse client(Arguments next) throws Failure {
        return switch (next) {
            case StateArguments.Open call -> named(call.owner().clientId());
            case StateArguments.OpenConfirm call -> holding(call.open());
            case StateArguments.Close call -> holding(call.open());
            case LockArguments.Lock call ->
                    switch (call.locker()) {
                        case LockArguments.Locker.NewOwner(_, var open, _, var owner) ->
                                server.ok(
                                        () ->
                                                leases.locking(
                                                        owner.clientId(),
                                                        open,
                                                        compound.connection.sender(),
                                                        server.now()));
                        case LockArguments.Locker.Existing(var lock, _) -> holding(lock);
                    };
            case LockArguments.LockU call -> holding(call.lock());
            case LeaseArguments.ReleaseLockOwner(var owner) -> named(owner.clientId());
            case DataArguments.Read call -> ofData(call.stateId());
            case DataArguments.Write call -> ofData(call.stateId());
            default -> leases.nameless(compound.connection.sender());
        };
    }

    private ClientUse ofData(StateId id) throws Failure {
        return id.equals(StateId.ANONYMOUS)
                ? leases.nameless(compound.connection.sender())
                : holding(id);
    }

    private ClientUse named(long clientId) throws Failure {
        var sender = compound.connection.sender();
        return server.ok(() -> leases.named(clientId, sender, server.now()));
    }

    private ClientUse holding(StateId id) throws Failure {
        var sender = compound.connection.sender();
        return server.ok(() -> leases.holding(id, sender, server.now()));
    }

    /** Returns what an operation says of its owner; empty if it is of none. */
    private static Optional<OwnerCall> ofOwner(Arguments next) {
        return Optional.ofNullable(
                switch (next) {
                    case StateArguments.Open open ->
                            new OwnerCall.Opening(
                                    open.owner().name(),
                                    open.sequence(),
                                    !(open.claim() instanceof OpenClaim.Name));
                    case StateArguments.OpenConfirm(var open, int sequence) ->
                            new OwnerCall.Holding(open, sequence);
                    case StateArguments.Close(int sequence, var open) ->
                            new OwnerCall.Holding(open, sequence);
                    case LockArguments.LockU call ->
                            new OwnerCall.Holding(call.lock(), call.sequence());
                    case LockArguments.Lock call ->
                            switch (call.locker()) {
                                case LockArguments.Locker.NewOwner(
                                                int opening,
                                                var open,
                                                int locking,
                                                var owner) ->
                                        new OwnerCall.NewLock(open, opening, owner.name(), locking);
                                case LockArguments.Locker.Existing(var lock, int sequence) ->
                                        new OwnerCall.Holding(lock, sequence);
                            };
                    default -> null;
                });
    }

    private Result lease(LeaseArguments next) throws Failure {
        var sender = compound.connection.sender();
        long now = server.now();
        return switch (next) {
            case LeaseArguments.SetClientId call -> {
                long id = server.fresh();
                long verifier = server.fresh();
                var given =
                        server.ok(
                                () ->
                                        leases.setClientId(
                                                call.owner(), null, id, verifier, sender, now));
                yield new LeaseResult.SetClientId(given.clientId(), given.verifier());
            }
            case LeaseArguments.SetClientIdConfirm(var id, var verifier) -> {
                server.ok(() -> leases.confirmClientId(id, verifier, sender, now));
                yield Result.done(Opcode.SETCLIENTID_CONFIRM);
            }
            case LeaseArguments.Renew(var id) -> {
                server.ok(() -> leases.renew(id, sender, now));
                yield Result.done(Opcode.RENEW);
            }
            case LeaseArguments.ReleaseLockOwner(var owner) -> {
                var client = compound.client;
                server.ok(() -> leases.releaseLockOwner(client, owner.name(), now));
                yield Result.done(Opcode.RELEASE_LOCKOWNER);
            }
        };
    }
}
