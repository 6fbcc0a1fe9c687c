package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.v4.SimCompound.Failure;
import io.github.rpcrdma4j.nfs.client.v4.SimFiles.SimFile;
import io.github.rpcrdma4j.nfs.state.event.LockCall;
import io.github.rpcrdma4j.nfs.state.event.LockOutcome;
import io.github.rpcrdma4j.nfs.state.event.OpenCall;
import io.github.rpcrdma4j.nfs.state.event.StateIdUse;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.DataArguments;
import io.github.rpcrdma4j.nfs.v4.operation.DataResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import io.github.rpcrdma4j.nfs.v4.operation.NameArguments;
import io.github.rpcrdma4j.nfs.v4.operation.NameResult;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.OpenClaim;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.OpenDelegation;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.ChangeInfo;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.OptionalLong;

/** The operations of a {@link SimCompound} on files, their names, opens and locks. */
final class SimFileOperations {
    private static final ChangeInfo CHANGE = new ChangeInfo(false, 1, 2);

    private final SimCompound compound;
    private final SimServer server;

    SimFileOperations(SimCompound compound) {
        this.compound = compound;
        this.server = compound.server;
    }

    Result carryOut(Arguments next) throws Failure {
        return switch (next) {
            case StateArguments state -> state(state);
            case LockArguments lock -> lock(lock);
            case DataArguments data -> data(data);
            case NameArguments name -> name(name);
            default -> throw new Failure(Nfs4Status.NOTSUPP);
        };
    }

    private SimFiles.Key key() throws Failure {
        return new SimFiles.Key(compound.file().id);
    }

    private Result state(StateArguments next) throws Failure {
        var state = server.state;
        long now = server.now();
        return switch (next) {
            case StateArguments.Open call -> open(call);
            case StateArguments.Close(_, var sent) -> {
                // The file may have lost its name.
                var key = new SimFiles.Key(compound.current);
                var id = compound.resolved(sent);
                var closed = server.ok(() -> state.close(compound.client, key, id, now));
                yield new StateResult.Close(isOfSession() ? StateId.INVALID : closed);
            }
            case StateArguments.OpenConfirm(var id, _) -> {
                var leases = state.version0();
                var key = key();
                yield new StateResult.OpenConfirm(
                        server.ok(() -> leases.confirmOpen(compound.client, key, id, now)));
            }
            case StateArguments.TestStateId(var ids) ->
                    new StateResult.TestStateId(
                            ids.stream()
                                    .map(each -> state.testStateId(compound.use, each))
                                    .toList());
            case StateArguments.FreeStateId(var id) -> {
                server.ok(() -> state.freeStateId(compound.use, id, now));
                yield Result.done(Opcode.FREE_STATEID);
            }
            default -> throw new Failure(Nfs4Status.NOTSUPP);
        };
    }

    private Result open(StateArguments.Open call) throws Failure {
        boolean isReclaim = call.claim() instanceof OpenClaim.Previous;
        boolean creates = !(call.creation() instanceof OpenCreation.None);
        long now = server.now();
        server.ok(() -> server.state.mayOpen(compound.client, isReclaim, creates, now));
        var file =
                call.claim() instanceof OpenClaim.Name(var name)
                        ? named(SimFiles.text(name), call.creation())
                        : compound.file();
        var event =
                new OpenCall(
                        new SimFiles.Key(file.id),
                        call.owner().name(),
                        call.access() & StateArguments.Open.BOTH,
                        call.deny(),
                        isReclaim);
        var id = server.ok(() -> server.state.open(compound.client, event, now));
        server.claims += isReclaim ? 1 : 0;
        compound.setCurrent(file.id);
        compound.currentStateId = id;
        return new StateResult.Open(
                id,
                CHANGE,
                StateResult.Open.LOCKTYPE_POSIX
                        | (isOfSession() ? StateResult.Open.MAY_NOTIFY_LOCK : 0),
                AttributeSet.NONE,
                isOfSession()
                        ? new OpenDelegation.Refused(OpenDelegation.Refused.NOT_WANTED, false)
                        : new OpenDelegation.None());
    }

    private boolean isOfSession() {
        return compound.use != null;
    }

    private SimFile named(String name, OpenCreation creation) throws Failure {
        var found = server.files.names.get(name);
        if (found != null && !mayExist(found, creation)) {
            throw new Failure(Nfs4Status.EXIST);
        }
        if (found == null && creation instanceof OpenCreation.None) {
            throw new Failure(Nfs4Status.NOENT);
        }
        if (found != null) {
            return found;
        }
        var made = server.files.make(name);
        made.verifier =
                switch (creation) {
                    case OpenCreation.Exclusive(var verifier) -> OptionalLong.of(verifier);
                    case OpenCreation.ExclusiveWithAttributes(var verifier, _) ->
                            OptionalLong.of(verifier);
                    case OpenCreation.None _, OpenCreation.Unchecked _, OpenCreation.Guarded _ ->
                            OptionalLong.empty();
                };
        return made;
    }

    private static boolean mayExist(SimFile found, OpenCreation creation) {
        return switch (creation) {
            case OpenCreation.None _, OpenCreation.Unchecked _ -> true;
            case OpenCreation.Guarded _ -> false;
            case OpenCreation.Exclusive(var verifier) -> found.isMadeBy(verifier);
            case OpenCreation.ExclusiveWithAttributes(var verifier, _) -> found.isMadeBy(verifier);
        };
    }

    private Result lock(LockArguments next) throws Failure {
        var state = server.state;
        long now = server.now();
        var key = key();
        return switch (next) {
            case LockArguments.Lock call -> {
                var from =
                        switch (call.locker()) {
                            case LockArguments.Locker.NewOwner(_, var open, _, var owner) ->
                                    new LockCall.NewOwner(open, owner.name());
                            case LockArguments.Locker.Existing(var lock, _) ->
                                    new LockCall.KnownOwner(lock);
                        };
                var event =
                        new LockCall(
                                key,
                                mode(call.type()),
                                call.type().isWaiting(),
                                call.isReclaim(),
                                call.offset(),
                                call.length(),
                                from);
                var outcome =
                        server.answered(
                                server.outcome(() -> state.lock(compound.client, event, now)));
                yield switch (outcome.value()) {
                    case LockOutcome.Granted(var id) -> {
                        server.ofLocks.add(id.withSequence(0));
                        yield new LockResult.Lock(id);
                    }
                    case LockOutcome.Denied(var conflict) ->
                            new LockResult.Denied(
                                    Opcode.LOCK,
                                    conflict.range().first(),
                                    conflict.range().length(),
                                    call.type(),
                                    conflict.owner());
                    case null, default -> throw new Failure(outcome.status());
                };
            }
            case LockArguments.LockU call ->
                    new LockResult.LockU(
                            server.ok(
                                    () ->
                                            state.unlock(
                                                    compound.client,
                                                    key,
                                                    call.lock(),
                                                    call.offset(),
                                                    call.length(),
                                                    now)));
            case LockArguments.LockT _ -> throw new Failure(Nfs4Status.NOTSUPP);
        };
    }

    private static LockMode mode(LockType type) {
        return switch (type) {
            case READ, READ_WAITING -> LockMode.READ;
            case WRITE, WRITE_WAITING -> LockMode.WRITE;
        };
    }

    private Result data(DataArguments next) throws Failure {
        var file = compound.file();
        return switch (next) {
            case DataArguments.Read(var id, var offset, var count) -> {
                check(id, StateIdUse.READ);
                int from = (int) Math.min(offset, file.content.length);
                int to = Math.min(from + count, file.content.length);
                yield new DataResult.Read(
                        to == file.content.length,
                        MemorySegment.ofArray(Arrays.copyOfRange(file.content, from, to)),
                        () -> {});
            }
            case DataArguments.Write(var id, var offset, var stability, var data) -> {
                check(id, StateIdUse.WRITE);
                file.write(offset, data.toArray(ValueLayout.JAVA_BYTE));
                if (stability != Stability.UNSTABLE) {
                    file.commit();
                }
                yield new DataResult.Write((int) data.byteSize(), stability, server.verifier);
            }
            case DataArguments.Commit _ -> {
                file.commit();
                yield new DataResult.Commit(server.verifier);
            }
            default -> throw new Failure(Nfs4Status.NOTSUPP);
        };
    }

    private void check(StateId id, StateIdUse use) throws Failure {
        var key = key();
        if (key.id() == server.underLocks && !server.ofLocks.contains(id.withSequence(0))) {
            throw new AssertionError("a file is used without its lock: " + id);
        }
        server.ok(() -> server.state.check(compound.client, key, id, use, server.now()));
    }

    private Result name(NameArguments next) throws Failure {
        if (server.state.isGrace()) {
            throw new Failure(Nfs4Status.GRACE);
        }
        return switch (next) {
            case NameArguments.Remove(var name) -> {
                if (server.files.remove(SimFiles.text(name)) == null) {
                    throw new Failure(Nfs4Status.NOENT);
                }
                yield new NameResult.Remove(CHANGE);
            }
            case NameArguments.Rename(var from, var to) -> {
                if (!server.files.rename(SimFiles.text(from), SimFiles.text(to))) {
                    throw new Failure(Nfs4Status.NOENT);
                }
                yield new NameResult.Rename(CHANGE, CHANGE);
            }
            default -> throw new Failure(Nfs4Status.NOTSUPP);
        };
    }
}
