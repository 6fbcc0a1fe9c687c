package io.github.rpcrdma4j.nfs.server.state;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/** A client of a {@link RandomWorld}: what it does, and what it believes to hold. */
final class RandomClient {
    private static final Host HOST = new StateServer.TestHost("host");
    private static final int OWNERS = 2;

    /** A call that was carried out, and waits for storage before it is answered. */
    private record Pending(SlotUse use, int flags, long after, long sent, Runnable handler) {}

    private final RandomWorld world;
    private final OpaqueName name;
    private final int number;
    private final int[] slots = new int[2];
    private final Set<List<Object>> carriedOut = new HashSet<>();
    private long verifier = 1;
    private long lastConnection;
    private Connection connection;
    private long id;
    private SessionId session;
    private boolean isRecovering;
    private List<HeldFile> held = new ArrayList<>();
    private Pending pending;
    private SentCall sent;
    private SentCall answered;

    /** When the last call was sent that was answered: the lease lasts from then on. */
    private long renewed;

    /** When the server carried out the last call. */
    private long seen;

    /** Whether an administrator took its state, and it does not know yet; and when. */
    private boolean isRevoked;

    private long revoked;

    /** Whether the server may have taken its state. */
    private boolean mayHaveLost;

    RandomClient(RandomWorld world, int number) {
        this.world = world;
        this.number = number;
        this.name = StateServer.name("client" + number);
        this.renewed = world.now;
        this.seen = world.now;
        reconnect();
    }

    private void reconnect() {
        connection = new Connection(++lastConnection << 8 | number, true);
    }

    private Sender sender() {
        return new Sender(StateServer.ROOT, false, connection, HOST);
    }

    void step() {
        if (world.random.nextInt(8) == 0) {
            world.take(world.state.connectionEnded(connection, world.now));
            reconnect();
        }
        if (pending != null) {
            repeat(sent, Nfs4Status.DELAY);
        } else if (session == null) {
            connect();
        } else if (answered != null && world.random.nextInt(6) == 0) {
            repeat(answered, answered.isKept() ? Nfs4Status.OK : Nfs4Status.RETRY_UNCACHED_REP);
        } else if (isRecovering) {
            recover();
        } else {
            act();
        }
    }

    private void connect() {
        noteExpiry();
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
                        null);
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
        isRecovering = isNew;
        for (var each : held) {
            each.isReclaimed = false;
        }
    }

    private void noteExpiry() {
        mayHaveLost |= world.now - seen > RandomWorld.LEASE;
    }

    private <T> void send(Function<SlotUse, Outcome<T>> operation, Consumer<Outcome<T>> handler) {
        noteExpiry();
        int slot = world.random.nextInt(2);
        long checksum = world.random.nextLong();
        boolean isKept = world.random.nextBoolean();
        sent = new SentCall(slot, slots[slot] + 1, checksum, isKept, null);
        var sequenced = sequence(sent);
        if (!sequenced.isOk()) {
            lostSession(sequenced.status());
            return;
        }
        slots[slot]++;
        var started = (Sequenced.Started) sequenced.value();
        assertTrue(carriedOut.add(List.of(session, slot, slots[slot])), "is not carried out twice");
        world.counts.calls++;
        seen = world.now;
        var outcome = world.take(operation.apply(started.use()));
        pending =
                new Pending(
                        started.use(),
                        started.results().flags(),
                        outcome.after(),
                        world.now,
                        () -> handler.accept(outcome));
        receive();
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

    private void repeat(SentCall call, Nfs4Status expected) {
        if (session == null) {
            return;
        }
        noteExpiry();
        boolean isFalse = world.random.nextInt(4) == 0;
        var repeated =
                isFalse
                        ? new SentCall(
                                call.slot(), call.sequence(), ~call.checksum(), call.isKept(), null)
                        : call;
        var outcome = sequence(repeated);
        world.counts.replays++;
        if (outcome.status() == Nfs4Status.BADSESSION) {
            lostSession(outcome.status());
            return;
        }
        assertEquals(isFalse ? Nfs4Status.SEQ_FALSE_RETRY : expected, outcome.status());
        if (outcome.isOk()) {
            var replayed = (Sequenced.Replayed) outcome.value();
            assertArrayEquals(call.reply(), replayed.kept());
            seen = world.now;
        }
    }

    private void lostSession(Nfs4Status status) {
        assertEquals(Nfs4Status.BADSESSION, status);
        session = null;
        pending = null;
        answered = null;
    }

    /** Receives the answer if it is due. */
    void receive() {
        if (pending == null || !world.isStored(pending.after)) {
            return;
        }
        var reply = pending;
        pending = null;
        var kept = sent.isKept() ? new byte[] {(byte) world.random.nextInt(), 7} : null;
        world.take(world.state.finish(reply.use, kept, world.now));
        answered = new SentCall(sent.slot(), sent.sequence(), sent.checksum(), sent.isKept(), kept);
        seen = world.now;
        if (reply.flags != 0) {
            examine(reply);
        }
        reply.handler.run();
        if (!isRecovering) {
            // What it has now is what the server has.
            renewed = reply.sent;
            isRevoked &= reply.sent - revoked <= 0;
            mayHaveLost = isRevoked;
        }
        world.compareBeliefs();
    }

    /** The server says that it took state: the client asks what it still has. */
    private void examine(Pending reply) {
        int lost =
                StatusFlags.EXPIRED_ALL_STATE_REVOKED
                        | StatusFlags.EXPIRED_SOME_STATE_REVOKED
                        | StatusFlags.ADMIN_STATE_REVOKED;
        if ((reply.flags & lost) == 0) {
            return;
        }
        for (var each : List.copyOf(held)) {
            var open = each.open.withSequence(0);
            if (world.state.testStateId(reply.use, open) != Nfs4Status.OK) {
                lose(each);
            }
        }
    }

    private void lose(HeldFile each) {
        assertTrue(mayHaveLost, "state is lost, although the client was there in time");
        world.counts.lost++;
        held.remove(each);
    }

    private void recover() {
        for (var each : held) {
            if (!each.isReclaimed) {
                reclaim(each);
                return;
            }
        }
        send(
                use -> world.state.reclaimComplete(use, false, world.now),
                outcome -> {
                    // Storage was not ready, or has failed.
                    if (outcome.status() != Nfs4Status.DELAY) {
                        assertEquals(Nfs4Status.OK, outcome.status());
                        isRecovering = false;
                    }
                });
    }

    private void reclaim(HeldFile each) {
        // Grace ends at some time, even if a client is not done.
        mayHaveLost |= world.now - world.restarted > RandomWorld.LEASE;
        each.isReclaimed = true;
        var call =
                new OpenCall(
                        file(each.file),
                        owner(each.owner),
                        each.access,
                        each.deny,
                        true,
                        StateServer.USER);
        send(
                use -> world.state.open(use, call, world.now),
                outcome -> {
                    if (!outcome.isOk()) {
                        lose(each);
                        return;
                    }
                    world.counts.reclaims++;
                    each.open = outcome.value();
                    each.lock = null;
                    reclaimLocks(each, 0);
                });
    }

    /** Reclaims the locks from a byte on, each with a call of its own. */
    private void reclaimLocks(HeldFile each, int from) {
        int at = from;
        while (at < HeldFile.BYTES && each.bytes[at] == null) {
            at++;
        }
        if (at == HeldFile.BYTES) {
            return;
        }
        int next = at + 1;
        while (next < HeldFile.BYTES && each.bytes[next] == each.bytes[at]) {
            next++;
        }
        mayHaveLost |= world.now - world.restarted > RandomWorld.LEASE;
        int end = next;
        var whose = new LockCall.NewOwner(each.open, owner(each.owner));
        var call = new LockCall(file(each.file), each.bytes[at], false, true, at, end - at, whose);
        send(
                use -> world.state.lock(use, call, world.now),
                outcome -> {
                    if (outcome.isOk()) {
                        world.counts.reclaims++;
                        each.lock = ((LockOutcome.Granted) outcome.value()).stateId();
                        reclaimLocks(each, end);
                    } else {
                        assertTrue(mayHaveLost, "a lock is lost: " + outcome.status());
                        each.bytes = new LockMode[HeldFile.BYTES];
                    }
                });
    }

    private static FileKey file(int number) {
        return new RandomWorld.WorldFile(number);
    }

    private static OpaqueName owner(int number) {
        return StateServer.name("owner" + number);
    }

    private void act() {
        var random = world.random;
        if (held.isEmpty() || random.nextInt(5) == 0) {
            open();
            return;
        }
        var each = held.get(random.nextInt(held.size()));
        switch (random.nextInt(8)) {
            case 0 -> close(each);
            case 1, 2 -> unlock(each);
            case 3 -> check(each);
            default -> lock(each);
        }
    }

    private void open() {
        int number = world.random.nextInt(RandomWorld.FILES);
        int owner = world.random.nextInt(OWNERS);
        int access = 1 + world.random.nextInt(3);
        int deny = world.random.nextInt(5) == 0 ? world.random.nextInt(4) : 0;
        var call = new OpenCall(file(number), owner(owner), access, deny, false, StateServer.USER);
        send(
                use -> world.state.open(use, call, world.now),
                outcome -> {
                    switch (outcome.status()) {
                        case OK -> opened(number, owner, access, deny, outcome.value());
                        case SHARE_DENIED, GRACE, DELAY -> world.counts.denials++;
                        default -> fail("OPEN: " + outcome.status());
                    }
                });
    }

    private void opened(int file, int owner, int access, int deny, StateId open) {
        world.counts.grants++;
        var known =
                held.stream()
                        .filter(each -> each.file == file && each.owner == owner)
                        .findFirst()
                        .orElseGet(
                                () -> {
                                    held.add(new HeldFile(file, owner));
                                    return held.getLast();
                                });
        known.open = open;
        known.access |= access;
        known.deny |= deny;
    }

    private void close(HeldFile each) {
        // From now on, it relies on nothing of it.
        held.remove(each);
        send(
                use ->
                        world.state.close(
                                use, file(each.file), each.open.withSequence(0), world.now),
                outcome -> assertValid(outcome.status()));
    }

    private void assertValid(Nfs4Status status) {
        boolean isLost = status == Nfs4Status.EXPIRED || status == Nfs4Status.ADMIN_REVOKED;
        assertTrue(status == Nfs4Status.OK || isLost, status.name());
    }

    private void check(HeldFile each) {
        var use = each.access == 1 ? Use.READ : Use.WRITE;
        send(
                slot ->
                        world.state.check(
                                slot, file(each.file), each.open, use, StateServer.USER, world.now),
                outcome -> assertValid(outcome.status()));
    }

    private void lock(HeldFile each) {
        int from = world.random.nextInt(HeldFile.BYTES);
        int length = 1 + world.random.nextInt(HeldFile.BYTES - from);
        var type =
                each.access == 1 || each.access == 3 && world.random.nextBoolean()
                        ? LockMode.READ
                        : LockMode.WRITE;
        var whose =
                each.lock == null
                        ? new LockCall.NewOwner(each.open, owner(each.owner))
                        : new LockCall.KnownOwner(each.lock);
        // From now on, it does not rely on the WRITE locks that a READ lock replaces.
        if (type == LockMode.READ) {
            each.weaken(from, length);
        }
        boolean waits = world.random.nextBoolean();
        var call = new LockCall(file(each.file), type, waits, false, from, length, whose);
        send(
                use -> world.state.lock(use, call, world.now),
                outcome -> {
                    switch (outcome.status()) {
                        case OK -> {
                            world.counts.grants++;
                            each.lock = ((LockOutcome.Granted) outcome.value()).stateId();
                            each.set(type, from, length);
                        }
                        case DENIED, GRACE -> world.counts.denials++;
                        case EXPIRED, ADMIN_REVOKED -> {}
                        default -> fail("LOCK: " + outcome.status());
                    }
                });
    }

    private void unlock(HeldFile each) {
        if (each.lock == null) {
            return;
        }
        int from = world.random.nextInt(HeldFile.BYTES);
        int length = 1 + world.random.nextInt(HeldFile.BYTES - from);
        each.set(null, from, length);
        send(
                use -> world.state.unlock(use, file(each.file), each.lock, from, length, world.now),
                outcome -> {
                    assertValid(outcome.status());
                    if (outcome.isOk()) {
                        each.lock = outcome.value();
                    }
                });
    }

    /** Returns what two clients believe in, although it conflicts; null if there is none. */
    String conflictWith(RandomClient other) {
        if (!believes() || !other.believes()) {
            return null;
        }
        for (var one : held) {
            for (var two : other.held) {
                if (one.conflictsWith(two)) {
                    return name + " and " + other.name + " at file " + one.file;
                }
            }
        }
        return null;
    }

    /** A client knows when its lease ends. */
    private boolean believes() {
        return !isRevoked && world.now - renewed <= RandomWorld.LEASE;
    }

    void restart() {
        verifier++;
        held = new ArrayList<>();
        mayHaveLost = false;
        isRevoked = false;
        abandon();
        session = null;
    }

    /** Waits for no answer any more; the server ends the call. */
    void abandon() {
        if (pending != null) {
            world.take(world.state.finish(pending.use, null, world.now));
            pending = null;
        }
        answered = null;
    }

    /**
     * The server has restarted.
     *
     * @param mayBeOver whether its last grace period may have ended: a client that was not done by
     *     then has no record
     */
    void serverRestarted(boolean mayBeOver) {
        mayHaveLost |= isRecovering && mayBeOver;
        pending = null;
        answered = null;
    }

    void revoke() {
        if (id != 0 && world.take(world.state.revoke(id, world.now)).isOk()) {
            mayHaveLost = true;
            isRevoked = true;
            revoked = world.now;
        }
    }
}
