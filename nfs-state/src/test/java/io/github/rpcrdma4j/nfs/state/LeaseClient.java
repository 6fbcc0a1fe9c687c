package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.CallbackPath;
import io.github.rpcrdma4j.nfs.state.event.Connection;
import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.state.event.LockCall;
import io.github.rpcrdma4j.nfs.state.event.LockOutcome;
import io.github.rpcrdma4j.nfs.state.event.OpenCall;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.event.OwnerCall;
import io.github.rpcrdma4j.nfs.state.event.Principal;
import io.github.rpcrdma4j.nfs.state.event.Sender;
import io.github.rpcrdma4j.nfs.state.event.StateIdUse;
import io.github.rpcrdma4j.nfs.state.event.UnconfirmedId;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.oncrpc.share.Host;
import java.util.List;
import java.util.function.Function;

/** A client of minor version 0 for tests. */
final class LeaseClient {
    final StateServer server;
    final OpaqueName name;
    Principal principal = StateServer.ROOT;
    Host host = new StateServer.TestHost("host");
    String place = "";
    long verifier = 1;

    /** Where it is called back; null if it cannot be. */
    CallbackPath path;

    long id;

    /** What SETCLIENTID has returned last. */
    long confirm;

    LeaseClient(StateServer server, String name) {
        this.server = server;
        this.name = StateServer.name(name);
    }

    Sender sender() {
        return new Sender(principal, false, new Connection(0, false), host, place);
    }

    Outcome<UnconfirmedId> trySetClientId() {
        var owner = new ClientOwner(verifier, name);
        var events = server.state.version0();
        return server.run(
                events.setClientId(
                        owner, path, server.fresh(), server.fresh(), sender(), server.now));
    }

    UnconfirmedId setClientId() {
        var given = server.ok(trySetClientId());
        id = given.clientId();
        confirm = given.verifier();
        return given;
    }

    Outcome<Void> confirm(long clientId, long withVerifier) {
        var events = server.state.version0();
        return server.run(events.confirmClientId(clientId, withVerifier, sender(), server.now));
    }

    LeaseClient connect() {
        setClientId();
        server.ok(confirm(id, confirm));
        return this;
    }

    Outcome<ClientUse> renew() {
        return server.run(server.state.version0().named(id, sender(), server.now));
    }

    /** Carries out an operation that names the client. It waits for storage if it has to. */
    <T> Outcome<T> named(Function<ClientUse, Outcome<T>> operation) {
        return carryOut(server.ok(renew()), operation);
    }

    /** Carries out an operation that has a stateid. */
    <T> Outcome<T> holding(StateId stateId, Function<ClientUse, Outcome<T>> operation) {
        var use = server.run(server.state.version0().holding(stateId, sender(), server.now));
        return use.isOk()
                ? carryOut(use.value(), operation)
                : new Outcome<>(use.status(), null, List.of(), 0, null);
    }

    Outcome<StateId> open(String owner, int access, int deny) {
        return open(owner, access, deny, false);
    }

    /** Opens the file of tests. */
    Outcome<StateId> open(String owner, int access, int deny, boolean isReclaim) {
        return open(StateServer.FILE, owner, access, deny, isReclaim);
    }

    Outcome<StateId> open(FileKey file, String owner, int access, int deny, boolean isReclaim) {
        var call = new OpenCall(file, StateServer.name(owner), access, deny, isReclaim);
        return named(use -> server.state.open(use, call, server.now));
    }

    Outcome<Void> check(StateId stateId, StateIdUse purpose) {
        return holding(
                stateId,
                use -> server.state.check(use, StateServer.FILE, stateId, purpose, server.now));
    }

    /** Begins an operation in the sequence of an owner. */
    Outcome<OwnerTurn> begin(OwnerCall call) {
        return named(use -> server.state.version0().beginTurn(use, call, server.now));
    }

    Outcome<StateId> confirmOpen(FileKey file, StateId open) {
        return holding(
                open, use -> server.state.version0().confirmOpen(use, file, open, server.now));
    }

    Outcome<StateId> close(FileKey file, StateId open) {
        return holding(open, use -> server.state.close(use, file, open, server.now));
    }

    /** Locks a range for writing as a new lock owner. Returns the stateid. */
    StateId locked(StateId open, String owner, long offset, long length) {
        var outcome = lock(open, owner, offset, length, false);
        return ((LockOutcome.Granted) server.ok(outcome)).stateId();
    }

    /** Locks a range for writing as a new lock owner, and waits if it is denied. */
    Outcome<LockOutcome> await(StateId open, String owner, long offset, long length) {
        return lock(open, owner, offset, length, true);
    }

    private Outcome<LockOutcome> lock(
            StateId open, String owner, long offset, long length, boolean isWaiting) {
        var from = new LockCall.NewOwner(open, StateServer.name(owner));
        var call =
                new LockCall(
                        StateServer.FILE, LockMode.WRITE, isWaiting, false, offset, length, from);
        return server.kernel.outcome(
                holding(open, use -> server.state.lock(use, call, server.now)));
    }

    Outcome<StateId> unlock(StateId lock, long offset, long length) {
        return holding(
                lock,
                use ->
                        server.state.unlock(
                                use, StateServer.FILE, lock, offset, length, server.now));
    }

    Outcome<Void> releaseLockOwner(String owner) {
        var ownerName = StateServer.name(owner);
        return named(use -> server.state.version0().releaseLockOwner(use, ownerName, server.now));
    }

    private <T> Outcome<T> carryOut(ClientUse use, Function<ClientUse, Outcome<T>> operation) {
        var outcome = server.run(operation.apply(use));
        return outcome.isPostponed() ? server.run(operation.apply(use)) : outcome;
    }
}
