package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackSecurity;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments.BindConnToSession.Direction;
import io.github.rpcrdma4j.nfs.v4.operation.SessionResult;
import io.github.rpcrdma4j.nfs.v4.operation.StateProtection;
import io.github.rpcrdma4j.nfs.v4.type.ChannelAttributes;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * A host that takes what it gets of clients, sessions, opens and locks, gives nothing back, and
 * abuses sequences. It checks each answer.
 */
final class HostilePeer {
    /** It remembers so many of its sessions; the others vanish without a word. */
    private static final int SESSIONS = 64;

    private static final int SLOTS = 4;
    private static final Set<Nfs4Status> NO_ROOM =
            EnumSet.of(Nfs4Status.OK, Nfs4Status.DELAY, Nfs4Status.NOSPC);

    /** A session, of which it uses one slot. */
    private static final class Session {
        private final long clientId;
        private final SessionId id;
        private int sequence;

        /** The last call, if its reply is kept, and the reply. */
        private CompoundArguments last;

        private byte[] reply;

        Session(long clientId, SessionId id) {
            this.clientId = clientId;
            this.id = id;
        }
    }

    private final TestServer server;
    private final Random random;
    private final String address;
    private final CompoundClient victim;
    private final List<Session> sessions = new ArrayList<>();
    private long names;

    /** How often each status was the answer. */
    final Map<Nfs4Status, Integer> answers = new TreeMap<>();

    long vanished;

    HostilePeer(TestServer server, Random random, String address, CompoundClient victim) {
        this.server = server;
        this.random = random;
        this.address = address;
        this.victim = victim;
    }

    /** Sends a message or a few. */
    void step() throws Exception {
        server.moveTo(address);
        if (sessions.isEmpty()) {
            arrive();
            return;
        }
        var session = sessions.get(random.nextInt(sessions.size()));
        switch (random.nextInt(12)) {
            case 0, 1 -> arrive();
            case 2 -> exchangeId(OpaqueName.of(bytes(OpaqueName.BYTES_MAX)));
            case 3 -> replay(session);
            case 4 -> replayFalsely(session);
            case 5 -> abuseSequence(session);
            case 6 -> abusePlaces(session);
            case 7 -> createSessions(session);
            case 8 -> destroy(session);
            case 9 -> open(session);
            case 10 -> lock(session);
            default -> bind(session);
        }
    }

    private byte[] bytes(int length) {
        var bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private byte[] send(Credential caller, CompoundArguments call)
            throws XdrException, InterruptedException {
        var results =
                server.results(
                        Nfs4Binding.PROGRAM,
                        Nfs4Binding.VERSION,
                        Nfs4Binding.COMPOUND,
                        caller,
                        call::encode);
        var all = new byte[(int) results.remaining()];
        MemorySegment.ofArray(all).copyFrom(results.fixedOpaque(all.length));
        return all;
    }

    private CompoundResult decode(byte[] reply, Object call) throws XdrException {
        var decoded = CompoundResult.decode(new XdrReader(MemorySegment.ofArray(reply)));
        answers.merge(decoded.status(), 1, Integer::sum);
        assertNotEquals(Nfs4Status.SERVERFAULT, decoded.status(), call::toString);
        return decoded;
    }

    private CompoundResult send(Arguments... operations) throws XdrException, InterruptedException {
        var call = new CompoundArguments(CompoundClient.TAG, 2, List.of(operations));
        return decode(send(CompoundClient.ROOT, call), call);
    }

    private void expect(Nfs4Status expected, Arguments... operations) throws Exception {
        var reply = send(operations);
        assertEquals(expected, reply.status(), () -> Arrays.toString(operations));
    }

    private void expect(Set<Nfs4Status> expected, Nfs4Status status, Object call) {
        assertTrue(expected.contains(status), () -> call + " -> " + status);
    }

    private Optional<SessionResult.ExchangeId> exchangeId(OpaqueName name) throws Exception {
        var reply =
                send(
                        new SessionArguments.ExchangeId(
                                new ClientOwner(random.nextInt(2), name),
                                0,
                                new StateProtection.None(),
                                Optional.empty()));
        expect(EnumSet.of(Nfs4Status.OK, Nfs4Status.DELAY), reply.status(), "EXCHANGE_ID");
        return first(reply, SessionResult.ExchangeId.class);
    }

    private static <R extends Result> Optional<R> first(CompoundResult reply, Class<R> type) {
        return Optional.of(reply.results().getFirst()).filter(type::isInstance).map(type::cast);
    }

    private Optional<SessionResult.CreateSession> createSession(
            long clientId, int sequence, ChannelAttributes channel, Set<Nfs4Status> expected)
            throws Exception {
        var call =
                new SessionArguments.CreateSession(
                        clientId,
                        sequence,
                        0,
                        channel,
                        channel,
                        0x4000_0000,
                        List.of(new CallbackSecurity.None()));
        var reply = send(call);
        expect(expected, reply.status(), call);
        return first(reply, SessionResult.CreateSession.class);
    }

    private static ChannelAttributes channel(int bytes, int slots) {
        return new ChannelAttributes(0, bytes, bytes, bytes, 64, slots, OptionalInt.empty());
    }

    /** Makes a client that opens a file, and lets another one vanish. */
    private void arrive() throws Exception {
        var name = address + " " + (random.nextInt(4) == 0 ? random.nextInt(100) : ++names + 100);
        var client = exchangeId(Nfs4Calls.name(name));
        if (client.isEmpty()) {
            return;
        }
        var id = client.get().clientId();
        var created = createSession(id, client.get().sequence(), channel(1 << 16, SLOTS), NO_ROOM);
        if (created.isEmpty()) {
            return;
        }
        if (sessions.size() == SESSIONS) {
            sessions.remove(random.nextInt(SESSIONS));
            vanished++;
        }
        var session = new Session(id, created.get().session());
        sessions.add(session);
        call(session, new SessionArguments.ReclaimComplete(false));
        open(session);
    }

    private SessionArguments.Sequence sequence(Session session, int number) {
        return new SessionArguments.Sequence(session.id, number, 0, 0, true);
    }

    /** Sends operations in a session. */
    private CompoundResult call(Session session, Arguments... operations) throws Exception {
        var all = new ArrayList<Arguments>();
        all.add(sequence(session, session.sequence + 1));
        all.addAll(List.of(operations));
        var call = new CompoundArguments(CompoundClient.TAG, 2, all);
        var bytes = send(CompoundClient.ROOT, call);
        var reply = decode(bytes, call);
        if (reply.results().getFirst().status() == Nfs4Status.OK) {
            session.sequence++;
            session.last = call;
            session.reply = bytes;
        } else {
            // An earlier incarnation, or one that was destroyed or had to make room.
            expect(EnumSet.of(Nfs4Status.BADSESSION, Nfs4Status.DEADSESSION), reply.status(), call);
            sessions.remove(session);
        }
        return reply;
    }

    private boolean isAlive(Session session) throws Exception {
        call(session);
        return sessions.contains(session);
    }

    private void replay(Session session) throws Exception {
        if (isAlive(session)) {
            call(session, Nfs4Calls.at("", Nfs4Calls.getFh()));
            for (int i = 0; i < 3; i++) {
                assertArrayEquals(session.reply, send(CompoundClient.ROOT, session.last));
            }
        }
    }

    /** Asks for a kept reply with another call, or as another user. */
    private void replayFalsely(Session session) throws Exception {
        if (!isAlive(session)) {
            return;
        }
        expect(
                Nfs4Status.SEQ_FALSE_RETRY,
                Nfs4Calls.join(
                        List.of(sequence(session, session.sequence)),
                        List.of(Nfs4Calls.at(Integer.toString(random.nextInt())))));
        var other = decode(send(CompoundClient.user(1111), session.last), session.last);
        assertEquals(Nfs4Status.SEQ_FALSE_RETRY, other.status());
    }

    private void abuseSequence(Session session) throws Exception {
        if (!isAlive(session)) {
            return;
        }
        int ahead = 2 + random.nextInt(Integer.MAX_VALUE);
        expect(Nfs4Status.SEQ_MISORDERED, sequence(session, session.sequence + ahead));
        expect(Nfs4Status.SEQ_MISORDERED, sequence(session, session.sequence - 1));
        int slot = random.nextBoolean() ? SLOTS : -1 - random.nextInt(Integer.MAX_VALUE);
        int next = session.sequence + 1;
        expect(
                Nfs4Status.BADSLOT,
                new SessionArguments.Sequence(session.id, next, slot, slot, false));
        expect(
                Nfs4Status.BAD_HIGH_SLOT,
                new SessionArguments.Sequence(session.id, next, 0, slot, false));
        var unknown = new SessionId(random.nextLong(), random.nextLong());
        expect(Nfs4Status.BADSESSION, new SessionArguments.Sequence(unknown, next, 0, 0, false));
        assertTrue(isAlive(session), "nothing of this has moved the slot");
    }

    private void abusePlaces(Session session) throws Exception {
        if (!isAlive(session)) {
            return;
        }
        expect(Nfs4Status.OP_NOT_IN_SESSION, Nfs4Calls.getFh());
        var twice = call(session, sequence(session, session.sequence + 1));
        assertEquals(Nfs4Status.SEQUENCE_POS, twice.status());
        expect(
                Nfs4Status.NOT_ONLY_OP,
                new SessionArguments.DestroyClientId(session.clientId),
                Nfs4Calls.getFh());
        var many = new Arguments[100];
        Arrays.fill(many, Nfs4Calls.getFh());
        many[0] = sequence(session, session.sequence + 1);
        expect(Nfs4Status.TOO_MANY_OPS, many);
    }

    /** Takes as many sessions as it gets, with as many slots. */
    private void createSessions(Session session) throws Exception {
        var any = EnumSet.copyOf(NO_ROOM);
        any.addAll(
                EnumSet.of(
                        Nfs4Status.STALE_CLIENTID,
                        Nfs4Status.SEQ_MISORDERED,
                        Nfs4Status.TOOSMALL,
                        Nfs4Status.INVAL));
        for (int sequence = 1; sequence < 8; sequence++) {
            var channel =
                    switch (random.nextInt(4)) {
                        case 0 -> channel(random.nextInt(), random.nextInt());
                        case 1 -> channel(0, 0);
                        default -> channel(-1, -1);
                    };
            createSession(session.clientId, sequence, channel, any);
        }
    }

    private void destroy(Session session) throws Exception {
        // Who has shown nothing of a client does not learn that it is there.
        expect(Nfs4Status.STALE_CLIENTID, new SessionArguments.DestroyClientId(victim.clientId()));
        expect(Nfs4Status.STALE_CLIENTID, new SessionArguments.DestroyClientId(random.nextLong()));
        expect(
                Nfs4Status.BADSESSION,
                new SessionArguments.DestroySession(
                        new SessionId(random.nextLong(), random.nextLong())));
        if (random.nextBoolean()) {
            send(new SessionArguments.DestroySession(session.id));
            sessions.remove(session);
        }
    }

    private void open(Session session) throws Exception {
        for (int i = 0; i < 8 && sessions.contains(session); i++) {
            var owner = new StringBuilder(Long.toString(++names));
            owner.append("x".repeat(random.nextInt(OpaqueName.BYTES_MAX - owner.length())));
            var open =
                    Nfs4Calls.open(
                            owner.toString(),
                            1 + random.nextInt(3),
                            0,
                            new OpenCreation.None(),
                            Nfs4Calls.claim("file" + random.nextInt(4)));
            var reply = call(session, Nfs4Calls.at("", open));
            if (sessions.contains(session)) {
                expect(NO_ROOM, reply.status(), open);
            }
        }
    }

    /** Opens a file, and locks bytes of it here and there. */
    private void lock(Session session) throws Exception {
        var open = Nfs4Calls.open("file" + random.nextInt(4), 3, 0);
        int from = random.nextInt(1 << 16);
        var operations = new ArrayList<>(List.of(Nfs4Calls.at("", open)));
        operations.add(lock(from));
        for (int i = 1; i < 16; i++) {
            operations.add(Nfs4Calls.lock(StateId.CURRENT, LockType.WRITE, from + 2L * i, 1));
        }
        call(session, operations.toArray(Arguments[]::new));
    }

    private Arguments lock(int from) {
        var owner = "locker" + random.nextInt(100);
        return Nfs4Calls.lock(StateId.CURRENT, owner, LockType.WRITE, from, 1);
    }

    private void bind(Session session) throws Exception {
        var directions = Direction.values();
        for (int i = 0; i < 4; i++) {
            var direction = directions[random.nextInt(directions.length)];
            var reply = send(new SessionArguments.BindConnToSession(session.id, direction, false));
            expect(
                    EnumSet.of(Nfs4Status.OK, Nfs4Status.INVAL, Nfs4Status.BADSESSION),
                    reply.status(),
                    direction);
        }
    }
}
