package io.github.rpcrdma4j.nfs.state;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.Connection;
import io.github.rpcrdma4j.nfs.state.event.CreateSessionCall;
import io.github.rpcrdma4j.nfs.state.event.CreatedSession;
import io.github.rpcrdma4j.nfs.state.event.DelegateCall;
import io.github.rpcrdma4j.nfs.state.event.DelegatedTimes;
import io.github.rpcrdma4j.nfs.state.event.DelegatedWriter;
import io.github.rpcrdma4j.nfs.state.event.DelegationOutcome;
import io.github.rpcrdma4j.nfs.state.event.ExchangeIdCall;
import io.github.rpcrdma4j.nfs.state.event.ExchangedId;
import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.state.event.LockCall;
import io.github.rpcrdma4j.nfs.state.event.LockOutcome;
import io.github.rpcrdma4j.nfs.state.event.OpenCall;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.event.Principal;
import io.github.rpcrdma4j.nfs.state.event.Protection;
import io.github.rpcrdma4j.nfs.state.event.Sender;
import io.github.rpcrdma4j.nfs.state.event.SequenceCall;
import io.github.rpcrdma4j.nfs.state.event.StateIdUse;
import io.github.rpcrdma4j.nfs.state.event.Urgency;
import io.github.rpcrdma4j.nfs.state.limit.ChannelRules;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.v4.type.ChannelAttributes;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.oncrpc.share.Host;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;

/**
 * A client of tests: it counts sequences as clients do. Each operation is a COMPOUND of its own.
 */
final class StateClient {
    static final ChannelAttributes ATTRIBUTES =
            new ChannelAttributes(0, 8192, 8192, 1024, 16, 8, OptionalInt.empty());

    private static long lastConnection;

    final StateServer server;
    final OpaqueName name;
    Principal principal = StateServer.ROOT;
    boolean isProtected;
    Host host = new StateServer.TestHost("host");
    String place = "";
    long verifier = 1;
    Connection connection = new Connection(++lastConnection, true);
    Protection protection = Protection.NONE;
    long id;

    /** The sequence of the next CREATE_SESSION. */
    int sequence;

    SessionId session;

    /** The sequence of the last COMPOUND in slot 0. */
    int slotSequence;

    /** The times of files that it keeps with its delegations. */
    Optional<DelegatedTimes> times = Optional.empty();

    StateClient(StateServer server, String name) {
        this.server = server;
        this.name = StateServer.name(name);
    }

    static Connection newConnection() {
        return new Connection(++lastConnection, true);
    }

    Sender sender() {
        return new Sender(principal, isProtected, connection, host, place);
    }

    /** Returns the client as news for the operator name it. */
    Action.Subject subject() {
        return new Action.Subject(id, name, host, place);
    }

    Outcome<ExchangedId> exchangeId(int flags) {
        var call = new ExchangeIdCall(new ClientOwner(verifier, name), flags, protection, "test");
        return server.run(server.state.exchangeId(call, server.fresh(), sender(), server.now));
    }

    /** Sends EXCHANGE_ID, and remembers what it gives. */
    ExchangedId exchangeId() {
        var exchanged = server.ok(exchangeId(0));
        id = exchanged.clientId();
        sequence = exchanged.sequence();
        return exchanged;
    }

    Outcome<CreatedSession> createSession(int withSequence) {
        return createSession(withSequence, ATTRIBUTES, ATTRIBUTES);
    }

    Outcome<CreatedSession> createSession(
            int withSequence, ChannelAttributes fore, ChannelAttributes back) {
        var call =
                new CreateSessionCall(
                        id,
                        withSequence,
                        CreateSessionCall.BACK_CHANNEL,
                        fore,
                        back,
                        1,
                        () -> ChannelRules.BACK_REQUEST_MIN);
        var freshId = new SessionId(server.fresh(), server.fresh());
        return server.run(server.state.createSession(call, freshId, sender(), server.now));
    }

    /** Creates a session, and uses it from now on. */
    CreatedSession createSession() {
        var created = server.ok(createSession(sequence));
        sequence++;
        session = created.id();
        slotSequence = 0;
        return created;
    }

    StateClient connect() {
        exchangeId();
        createSession();
        return this;
    }

    Outcome<Sequenced> sequence(int slot, int number, boolean cachesReply, long checksum) {
        var call = new SequenceCall(session, number, slot, slot, cachesReply, 3, 200, checksum);
        return server.run(server.state.sequence(call, sender(), server.now));
    }

    /** Begins the next COMPOUND in slot 0. */
    SlotUse begin() {
        var sequenced = server.ok(sequence(0, slotSequence + 1, false, slotSequence));
        slotSequence++;
        return assertInstanceOf(Sequenced.Started.class, sequenced).use();
    }

    void end(SlotUse use) {
        server.ok(server.state.finish(use, null, server.now));
    }

    /** Sends a COMPOUND of one operation. It waits for storage if it has to. */
    <T> Outcome<T> compound(Function<SlotUse, Outcome<T>> operation) {
        var use = begin();
        var outcome = server.run(operation.apply(use));
        if (outcome.isPostponed()) {
            outcome = server.run(operation.apply(use));
        }
        end(use);
        return outcome;
    }

    /** Asks about the state in a COMPOUND of its own. */
    <T> T ask(Function<SlotUse, T> question) {
        var use = begin();
        var answer = question.apply(use);
        end(use);
        return answer;
    }

    /** Sends SEQUENCE alone, and returns its flags. */
    int renew() {
        var sequenced = server.ok(sequence(0, ++slotSequence, false, 0));
        end(((Sequenced.Started) sequenced).use());
        return sequenced.results().flags();
    }

    Outcome<Void> reclaimComplete() {
        return compound(use -> server.state.reclaimComplete(use, false, server.now));
    }

    Outcome<StateId> open(FileKey file, String owner, int access, int deny) {
        return open(file, owner, access, deny, false);
    }

    Outcome<StateId> open(FileKey file, String owner, int access, int deny, boolean isReclaim) {
        var call = new OpenCall(file, StateServer.name(owner), access, deny, isReclaim);
        return compound(use -> server.state.open(use, call, server.now));
    }

    /** Opens the file of tests for reading and writing. */
    StateId open() {
        return server.ok(open(StateServer.FILE, "owner", 3, 0));
    }

    /** Takes back the OPEN that was granted a stateid. */
    void takeBack(FileKey file, StateId granted) {
        server.ok(compound(use -> server.state.takeBackOpen(use, file, granted, server.now)));
    }

    /** Takes a slot for a call of the server, which is free. */
    Callback takeCallback() {
        var slot = server.state.callbacks().take(id, Urgency.OTHER, server.now);
        return assertInstanceOf(CallbackSlot.Taken.class, slot).callback();
    }

    /** Has the client answer a call of the server. */
    StateClient answering() {
        server.state.callbacks().end(takeCallback(), new Callback.Answered(7));
        return this;
    }

    /** Asks for a delegation with an open. Returns the answer of the kernel, unless it hangs. */
    DelegationOutcome delegate(FileKey file, StateId open, DelegateCall.Wish wish) {
        return delegate(file, open, wish, false);
    }

    DelegationOutcome delegate(
            FileKey file, StateId open, DelegateCall.Wish wish, boolean isReclaim) {
        var call = new DelegateCall(file, open, wish, isReclaim, 7, times);
        return server.leases.outcome(
                server.ok(
                        compound(
                                use ->
                                        server.state
                                                .delegations()
                                                .delegate(use, call, server.now))));
    }

    /** Opens the file of tests with a delegation. */
    StateId delegated(String owner, int access) {
        var open = server.ok(open(StateServer.FILE, owner, access, 0));
        var outcome = delegate(StateServer.FILE, open, DelegateCall.Wish.ANY);
        return ((DelegationOutcome.Granted) outcome).stateId();
    }

    Optional<DelegatedWriter> writer(FileKey file) {
        return ask(use -> server.state.delegations().writer(use, file, server.now));
    }

    Outcome<Void> returnDelegation(FileKey file, StateId delegation) {
        return compound(
                use -> server.state.delegations().giveBack(use, file, delegation, server.now));
    }

    Outcome<Void> requireUndelegated(FileKey file, boolean changes) {
        return compound(
                use ->
                        server.state
                                .delegations()
                                .requireUndelegated(use, file, changes, server.now));
    }

    Outcome<StateId> close(FileKey file, StateId stateId) {
        return compound(use -> server.state.close(use, file, stateId, server.now));
    }

    Outcome<StateId> downgrade(FileKey file, StateId stateId, int access, int deny) {
        return compound(
                use -> server.state.downgrade(use, file, stateId, access, deny, server.now));
    }

    Outcome<Void> check(FileKey file, StateId stateId, StateIdUse purpose) {
        return compound(use -> server.state.check(use, file, stateId, purpose, server.now));
    }

    /** Locks. Returns the answer of the kernel, unless the kernel hangs. */
    Outcome<LockOutcome> lock(LockCall call) {
        return server.kernel.outcome(compound(use -> server.state.lock(use, call, server.now)));
    }

    /** Locks by an open, as a new lock owner. */
    Outcome<LockOutcome> lock(StateId open, String owner, LockMode type, long offset, long length) {
        var from = new LockCall.NewOwner(open, StateServer.name(owner));
        return lock(new LockCall(StateServer.FILE, type, false, false, offset, length, from));
    }

    /** Locks by an open, and waits if the lock is denied. */
    Outcome<LockOutcome> await(
            StateId open, String owner, LockMode type, long offset, long length) {
        var from = new LockCall.NewOwner(open, StateServer.name(owner));
        return lock(new LockCall(StateServer.FILE, type, true, false, offset, length, from));
    }

    /** Locks by an open; it must succeed. Returns the stateid of the lock. */
    StateId locked(StateId open, String owner, LockMode type, long offset, long length) {
        var result = server.ok(lock(open, owner, type, offset, length));
        return ((LockOutcome.Granted) result).stateId();
    }

    Outcome<StateId> unlock(StateId lock, long offset, long length) {
        return compound(
                use ->
                        server.state.unlock(
                                use, StateServer.FILE, lock, offset, length, server.now));
    }

    Outcome<LockOutcome> testLock(String owner, LockMode type, long offset, long length) {
        var name = StateServer.name(owner);
        return compound(
                use ->
                        server.state.testLock(
                                use, StateServer.FILE, type, offset, length, name, server.now));
    }

    Outcome<Void> free(StateId stateId) {
        return compound(use -> server.state.freeStateId(use, stateId, server.now));
    }

    Outcome<Void> destroyClientId() {
        return server.run(server.state.destroyClientId(id, sender(), server.now));
    }

    Outcome<Void> destroySession() {
        return server.run(server.state.destroySession(session, null, sender(), server.now));
    }
}
