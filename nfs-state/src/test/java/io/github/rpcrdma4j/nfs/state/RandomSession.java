package io.github.rpcrdma4j.nfs.state;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.Connection;
import io.github.rpcrdma4j.nfs.state.event.CreateSessionCall;
import io.github.rpcrdma4j.nfs.state.event.ExchangeIdCall;
import io.github.rpcrdma4j.nfs.state.event.LockOutcome;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.event.Protection;
import io.github.rpcrdma4j.nfs.state.event.Sender;
import io.github.rpcrdma4j.nfs.state.event.SequenceCall;
import io.github.rpcrdma4j.nfs.state.limit.ChannelRules;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import io.github.rpcrdma4j.oncrpc.share.Host;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/** How a {@link RandomClient} talks to the server: its connections, its session and its calls. */
final class RandomSession {
    /** A call that was carried out, and waits for the kernel or for storage. */
    private static final class Pending {
        final SlotUse use;
        final int flags;
        final long sent;
        final Consumer<Outcome<?>> handler;

        /** The question that the kernel has yet to answer; 0 for none. */
        long asked;

        Outcome<?> outcome;

        Pending(SlotUse use, int flags, long sent, Consumer<Outcome<?>> handler) {
            this.use = use;
            this.flags = flags;
            this.sent = sent;
            this.handler = handler;
        }

        void end(Outcome<?> with) {
            outcome = with;
            asked = with.value() instanceof LockOutcome.Asked(var number) ? number : 0;
        }
    }

    /**
     * A reply.
     *
     * @param sent when the call was sent
     * @param handling what the client does with the results
     */
    record Reply(SlotUse use, int flags, long sent, Runnable handling) {}

    private static final Host HOST = new StateServer.TestHost("host");

    private final RandomWorld world;
    private final OpaqueName name;
    private final int number;
    private final int[] slots = new int[2];
    private final Set<List<Object>> carriedOut = new HashSet<>();
    private long lastConnection;
    private Connection connection;
    private SessionId session;
    private Pending pending;
    private SentCall sent;
    private SentCall answered;
    private long verifier = 1;
    private long id;

    /** When the server carried out the last call. */
    private long seen;

    RandomSession(RandomWorld world, int number) {
        this.world = world;
        this.number = number;
        this.name = StateServer.name("client" + number);
        this.seen = world.now;
        reconnect();
    }

    private void reconnect() {
        connection = new Connection(++lastConnection << 8 | number, true);
    }

    private Sender sender() {
        return new Sender(StateServer.ROOT, false, connection, HOST, "");
    }

    OpaqueName name() {
        return name;
    }

    /** Returns the client ID, or 0. */
    long id() {
        return id;
    }

    boolean isOpen() {
        return session != null;
    }

    boolean isBusy() {
        return pending != null;
    }

    /** Returns whether the server has not seen the client for a lease time. */
    boolean isLate() {
        return world.now - seen > RandomWorld.LEASE;
    }

    void changeConnection() {
        world.take(world.state.connectionEnded(connection, world.now));
        reconnect();
    }

    /** Opens a session. Returns whether the server took the client for a new one. */
    boolean connect() {
        var call = new ExchangeIdCall(new ClientOwner(verifier, name), 0, Protection.NONE, "");
        var exchanged =
                world.take(world.state.exchangeId(call, world.fresh(), sender(), world.now));
        assertEquals(Nfs4Status.OK, exchanged.status());
        boolean isNew = exchanged.value().clientId() != id;
        id = exchanged.value().clientId();
        var create =
                new CreateSessionCall(
                        id,
                        exchanged.value().sequence(),
                        2,
                        StateClient.ATTRIBUTES,
                        StateClient.ATTRIBUTES,
                        1,
                        () -> ChannelRules.BACK_REQUEST_MIN);
        var fresh = new SessionId(world.fresh(), world.fresh());
        var created = world.take(world.state.createSession(create, fresh, sender(), world.now));
        assertEquals(Nfs4Status.OK, created.status());
        var again = new SessionId(world.fresh(), world.fresh());
        var repeated = world.take(world.state.createSession(create, again, sender(), world.now));
        assertEquals(created.value(), repeated.value());
        session = created.value().id();
        slots[0] = 0;
        slots[1] = 0;
        answered = null;
        return isNew;
    }

    <T> void send(Function<SlotUse, Outcome<T>> operation, Consumer<Outcome<T>> handler) {
        int slot = world.random.nextInt(2);
        long checksum = world.random.nextLong();
        boolean isKept = world.random.nextBoolean();
        sent = new SentCall(slot, slots[slot] + 1, checksum, isKept, null);
        var sequenced = sequence(sent);
        if (!sequenced.isOk()) {
            lost(sequenced.status());
            return;
        }
        slots[slot]++;
        var started = (Sequenced.Started) sequenced.value();
        assertTrue(carriedOut.add(List.of(session, slot, slots[slot])), "is not carried out twice");
        world.counts.calls++;
        seen = world.now;
        var outcome = world.take(operation.apply(started.use()));
        pending = new Pending(started.use(), started.results().flags(), world.now, cast(handler));
        pending.end(outcome);
    }

    /** The results of a LOCK have the type of its first outcome. */
    @SuppressWarnings("unchecked")
    private static <T> Consumer<Outcome<?>> cast(Consumer<Outcome<T>> handler) {
        return outcome -> handler.accept((Outcome<T>) outcome);
    }

    private Outcome<Sequenced> sequence(SentCall call) {
        var sequence =
                new SequenceCall(
                        session,
                        call.sequence(),
                        call.slot(),
                        call.slot(),
                        call.isKept(),
                        3,
                        200,
                        call.checksum());
        return world.take(world.state.sequence(sequence, sender(), world.now));
    }

    /** Sends the call in progress once more. */
    void repeatPending() {
        repeat(sent, Nfs4Status.DELAY);
    }

    /** Sends the last call once more if it was answered. Returns whether it was. */
    boolean repeatAnswered() {
        if (answered == null) {
            return false;
        }
        repeat(answered, answered.isKept() ? Nfs4Status.OK : Nfs4Status.RETRY_UNCACHED_REP);
        return true;
    }

    private void repeat(SentCall call, Nfs4Status expected) {
        if (session == null) {
            return;
        }
        boolean isFalse = world.random.nextInt(4) == 0;
        var repeated =
                isFalse
                        ? new SentCall(
                                call.slot(), call.sequence(), ~call.checksum(), call.isKept(), null)
                        : call;
        var outcome = sequence(repeated);
        world.counts.replays++;
        if (outcome.status() == Nfs4Status.BADSESSION) {
            lost(outcome.status());
            return;
        }
        assertEquals(isFalse ? Nfs4Status.SEQ_FALSE_RETRY : expected, outcome.status());
        if (outcome.isOk()) {
            var replayed = (Sequenced.Replayed) outcome.value();
            assertArrayEquals(call.reply(), replayed.kept());
            seen = world.now;
        }
    }

    private void lost(Nfs4Status status) {
        assertEquals(Nfs4Status.BADSESSION, status);
        session = null;
        if (pending != null) {
            leaveKernel();
        }
        pending = null;
        answered = null;
    }

    /** The kernel has answered what a call of this client waits for, or of another one. */
    void answer(long asked, Outcome<LockOutcome> outcome) {
        if (pending != null && pending.asked == asked) {
            pending.end(outcome);
        }
    }

    /** A call that waits for the kernel ends with DELAY after some time. */
    void giveUp() {
        if (pending != null && pending.asked != 0) {
            assertTrue(leaveKernel(), "there was an answer");
            pending.end(new Outcome<>(Nfs4Status.DELAY, null, List.of(), 0, null));
            world.counts.givenUp++;
        }
    }

    /** Returns whether the kernel still owed an answer. */
    private boolean leaveKernel() {
        return pending.asked != 0
                && world.take(world.state.kernelLocks().abandon(pending.asked, world.now)).value();
    }

    /** Receives the reply if it is due; otherwise returns null. */
    Reply receive() {
        if (pending == null || pending.asked != 0 || !world.isStored(pending.outcome.after())) {
            return null;
        }
        var reply = pending;
        pending = null;
        var kept = sent.isKept() ? new byte[] {(byte) world.random.nextInt(), 7} : null;
        world.take(world.state.finish(reply.use, kept, world.now));
        answered = new SentCall(sent.slot(), sent.sequence(), sent.checksum(), sent.isKept(), kept);
        seen = world.now;
        return new Reply(
                reply.use, reply.flags, reply.sent, () -> reply.handler.accept(reply.outcome));
    }

    /** The client restarts: it forgets its session, and is a new client. */
    void restart() {
        verifier++;
        abandon();
        session = null;
    }

    /** Waits for no answer any more; the server ends the call. */
    void abandon() {
        if (pending != null) {
            leaveKernel();
            world.take(world.state.finish(pending.use, null, world.now));
            pending = null;
        }
        answered = null;
    }

    /** The server that carried out the call has gone. */
    void serverRestarted() {
        pending = null;
        answered = null;
    }
}
