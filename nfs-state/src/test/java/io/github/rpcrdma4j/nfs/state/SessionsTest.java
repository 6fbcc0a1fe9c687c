package io.github.rpcrdma4j.nfs.state;

import static io.github.rpcrdma4j.nfs.state.StateClient.ATTRIBUTES;
import static io.github.rpcrdma4j.nfs.state.StateServer.LEASE;
import static io.github.rpcrdma4j.nfs.state.StateServer.OTHER;
import static io.github.rpcrdma4j.nfs.state.StateServer.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.Connection;
import io.github.rpcrdma4j.nfs.state.event.CreateSessionCall;
import io.github.rpcrdma4j.nfs.state.event.OpenCall;
import io.github.rpcrdma4j.nfs.state.event.Protection;
import io.github.rpcrdma4j.nfs.state.limit.ChannelRules;
import io.github.rpcrdma4j.nfs.state.limit.StateLimits;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments.BindConnToSession.Direction;
import io.github.rpcrdma4j.nfs.v4.operation.SessionResult;
import io.github.rpcrdma4j.nfs.v4.type.ChannelAttributes;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: CREATE_SESSION, DESTROY_SESSION and BIND_CONN_TO_SESSION answer every case. */
class SessionsTest {
    private final StateServer server = StateServer.start();
    private final StateClient client = server.stranger("client");

    private static ChannelAttributes attributes(
            int request, int response, int cached, int operations, int slots) {
        return new ChannelAttributes(
                0, request, response, cached, operations, slots, OptionalInt.empty());
    }

    private static StateLimits limits(int clients, int sessionsOfClient) {
        var some = StateLimits.DEFAULTS;
        return new StateLimits(
                clients,
                some.unconfirmedClients(),
                some.courtesyClients(),
                some.courtesyNanos(),
                sessionsOfClient,
                2,
                some.sessionBytes(),
                some.slotsOfSession(),
                some.messageBytes(),
                some.cachedBytes(),
                some.operations(),
                some.stateBytes(),
                some.opensOfClient(),
                some.delegations(),
                some.locks());
    }

    /** Whole table: whether the client is confirmed, its principal, and the sequence. */
    @ParameterizedTest
    @CsvSource({
        "false, true,  0, SEQ_MISORDERED",
        "false, true,  1, OK",
        "false, true,  2, SEQ_MISORDERED",
        "false, false, 0, CLID_INUSE",
        "false, false, 1, CLID_INUSE",
        "false, false, 2, CLID_INUSE",
        "true,  true,  0, SEQ_MISORDERED",
        "true,  true,  1, RETRY",
        "true,  true,  2, OK",
        "true,  true,  3, SEQ_MISORDERED",
        "true,  false, 0, SEQ_MISORDERED",
        "true,  false, 1, RETRY",
        "true,  false, 2, OK",
        "true,  false, 3, SEQ_MISORDERED",
    })
    void createsSessionsInSequence(
            boolean isConfirmed, boolean hasPrincipal, int sequence, String expected) {
        client.exchangeId();
        var first = isConfirmed ? client.createSession() : null;
        client.principal = hasPrincipal ? StateServer.ROOT : OTHER;
        for (int time = 0; time < 2; time++) {
            var outcome = client.createSession(sequence);
            switch (expected) {
                case "RETRY" -> assertEquals(first, server.ok(outcome));
                case "OK" -> {
                    // The second time, it is a retry of itself.
                    assertEquals(sequence, server.ok(outcome).sequence());
                    assertNotEquals(first, outcome.value());
                }
                default -> server.refuses(Nfs4Status.valueOf(expected), outcome);
            }
        }
    }

    @Test
    void refusesUnknownClientsAndFlags() {
        server.refuses(Nfs4Status.STALE_CLIENTID, client.createSession(1));
        client.exchangeId();
        var call =
                new CreateSessionCall(
                        client.id,
                        1,
                        8,
                        ATTRIBUTES,
                        ATTRIBUTES,
                        1,
                        () -> ChannelRules.BACK_REQUEST_MIN);
        var id = new SessionId(1, 1);
        server.refuses(
                Nfs4Status.INVAL,
                server.state.createSession(call, id, client.sender(), server.now));
    }

    @Test
    void grantsWhatLinuxNeeds() {
        client.exchangeId();
        int size = (1 << 20) + 4096;
        var fore = attributes(size, size, 7584, 8, 64);
        var back = attributes(4096, 4096, 0, 2, 16);
        var created = server.ok(client.createSession(1, fore, back));
        assertEquals(attributes(size, size, 2048, 8, 64), created.fore());
        assertEquals(back, created.back());
        assertEquals(CreateSessionCall.BACK_CHANNEL, created.flags(), "and not PERSIST or RDMA");
    }

    @Test
    void boundsWhatIsAskedForWithoutBounds() {
        client.exchangeId();
        var all = new ChannelAttributes(-1, -1, -1, -1, -1, -1, OptionalInt.of(7));
        var created = server.ok(client.createSession(1, all, all));
        int most = StateLimits.DEFAULTS.messageBytes();
        assertEquals(attributes(most, most, 2048, 512, 128), created.fore());
        assertEquals(attributes(most, most, most, 512, 16), created.back());
    }

    /** Also pynfs: CSESS25, 26, 27, 28, 29; SEQ6, SEQ7. */
    @ParameterizedTest
    @CsvSource({
        "8192, 0,    8192, 16, 8, TOOSMALL",
        "20,   8192, 8192, 16, 8, TOOSMALL",
        "87,   8192, 8192, 16, 8, TOOSMALL",
        "8192, 83,   8192, 16, 8, TOOSMALL",
        "8192, 8192, 8192, 0,  8, TOOSMALL",
        "8192, 8192, 8192, 16, 0, INVAL",
        "400,  400,  400,  16, 8, OK",
        "512,  8192, 8192, 4,  8, OK",
        "8192, 8192, 10,   16, 8, OK",
        "88,   84,   0,    1,  1, OK",
    })
    void refusesForeChannelsThatAreTooSmall(
            int request, int response, int cached, int operations, int slots, Nfs4Status status) {
        client.exchangeId();
        var fore = attributes(request, response, cached, operations, slots);
        assertEquals(status, client.createSession(1, fore, ATTRIBUTES).status());
    }

    @ParameterizedTest
    @CsvSource({
        "10,  8192, 1,  TOOSMALL",
        "299, 8192, 16, TOOSMALL",
        "300, 95,   16, TOOSMALL",
        "300, 96,   1,  TOOSMALL",
        "300, 96,   2,  OK",
    })
    void refusesBackChannelsThatAreTooSmall(
            int request, int response, int operations, Nfs4Status status) {
        client.exchangeId();
        var back = attributes(request, response, 0, operations, 1);
        assertEquals(status, client.createSession(1, ATTRIBUTES, back).status());
        // A refused call changes no sequence.
        assertEquals(
                status == Nfs4Status.OK ? Nfs4Status.SEQ_MISORDERED : Nfs4Status.OK,
                client.createSession(status == Nfs4Status.OK ? 3 : 1).status());
    }

    @Test
    void boundsTheSessionsOfAClientAndTheClients() {
        var small = StateServer.with(limits(2, 1));
        var first = small.client("first");
        small.refuses(Nfs4Status.DELAY, first.createSession(first.sequence));
        first.open();
        small.client("second").open();
        var third = small.stranger("third");
        third.exchangeId();
        small.refuses(Nfs4Status.DELAY, third.createSession(third.sequence));
        // The lease of the first one expires. It makes room, its record first.
        small.now += LEASE - SECOND;
        third.exchangeId();
        small.now += 2 * SECOND;
        assertTrue(small.hasRecord(first));
        third.createSession();
        assertTrue(!small.hasRecord(first));
        small.refuses(Nfs4Status.BADSESSION, first.sequence(0, 9, false, 0));
    }

    @Test
    void aRefusedNameOfASessionIsNotGivenAgain() {
        client.connect();
        var call =
                new CreateSessionCall(
                        client.id,
                        client.sequence,
                        0,
                        ATTRIBUTES,
                        ATTRIBUTES,
                        1,
                        () -> ChannelRules.BACK_REQUEST_MIN);
        var outcome = server.state.createSession(call, client.session, client.sender(), server.now);
        server.refuses(Nfs4Status.DELAY, outcome);
    }

    @Test
    void destroysASessionOverItsConnectionsOnly() {
        client.connect();
        var old = client.connection;
        client.connection = StateClient.newConnection();
        server.refuses(Nfs4Status.CONN_NOT_BOUND_TO_SESSION, client.destroySession());
        server.run(server.state.connectionEnded(old, server.now));
        server.ok(client.destroySession());
        server.refuses(Nfs4Status.BADSESSION, client.destroySession());
        server.refuses(Nfs4Status.BADSESSION, client.sequence(0, 1, false, 0));
    }

    @Test
    void aSessionInUseIsDestroyedByItsOwnCompoundOnly() {
        client.connect();
        var use = client.begin();
        server.refuses(Nfs4Status.DELAY, client.destroySession());
        server.ok(server.state.destroySession(client.session, use, client.sender(), server.now));
        // The COMPOUND ends after its session.
        client.end(use);
    }

    @Test
    void aCompoundOfAnEndedSessionGetsNothing() {
        client.connect();
        server.ok(client.reclaimComplete());
        var use = client.begin();
        var restarted = server.stranger("client");
        restarted.verifier = 2;
        restarted.connect();
        var call = new OpenCall(StateServer.FILE, StateServer.name("owner"), 1, 0, false);
        server.refuses(Nfs4Status.DEADSESSION, server.state.open(use, call, server.now));
        var complete = server.state.reclaimComplete(use, false, server.now);
        server.refuses(Nfs4Status.DEADSESSION, complete);
        client.end(use);
        assertEquals(0, server.state.snapshots().opens(9).size());
    }

    /** Whole table: the wanted direction, whether the connection can call back, and the result. */
    @ParameterizedTest
    @CsvSource({
        "FORE, true, FORE", "BACK, true, BACK", "FORE_OR_BOTH, true, BOTH",
                "BACK_OR_BOTH, true, BOTH",
        "FORE, false, FORE", "BACK, false,", "FORE_OR_BOTH, false, FORE", "BACK_OR_BOTH, false,",
    })
    void bindsConnections(
            Direction wanted,
            boolean callsBack,
            SessionResult.BindConnToSession.Direction granted) {
        client.connect();
        var number = StateClient.newConnection().number();
        client.connection = new Connection(number, callsBack);
        var outcome =
                server.state.bindConnection(client.session, wanted, client.sender(), server.now);
        if (granted == null) {
            server.refuses(Nfs4Status.INVAL, outcome);
        } else {
            assertEquals(granted, server.ok(outcome));
        }
        boolean fore = granted != null && granted != SessionResult.BindConnToSession.Direction.BACK;
        boolean back = granted != null && granted != SessionResult.BindConnToSession.Direction.FORE;
        assertEquals(fore ? 2 : 1, server.state.snapshots().sessions(1).getFirst().connections());
        assertEquals(
                back ? 2 : 1, server.state.snapshots().sessions(1).getFirst().backConnections());
        var unknown = new SessionId(1, 2);
        server.refuses(
                Nfs4Status.BADSESSION,
                server.state.bindConnection(unknown, Direction.FORE, client.sender(), server.now));
    }

    @Test
    void machineCredentialsNeedBoundConnections() {
        client.isProtected = true;
        client.protection = Protection.machine(Set.of(), Set.of());
        client.connect();
        client.renew();
        client.connection = StateClient.newConnection();
        server.refuses(
                Nfs4Status.CONN_NOT_BOUND_TO_SESSION,
                client.sequence(0, client.slotSequence + 1, false, 0));
        server.ok(
                server.state.bindConnection(
                        client.session, Direction.FORE, client.sender(), server.now));
        client.renew();
    }

    @Test
    void theOldestConnectionMakesRoom() {
        var small = StateServer.with(limits(9, 9));
        var user = small.stranger("client").connect();
        for (int i = 0; i < 5; i++) {
            user.connection = StateClient.newConnection();
            user.renew();
            small.ok(
                    small.state.bindConnection(
                            user.session, Direction.BACK, user.sender(), small.now));
        }
        assertEquals(2, small.state.snapshots().sessions(1).getFirst().connections());
        assertEquals(2, small.state.snapshots().sessions(1).getFirst().backConnections());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void oneConnectionServesManySessions(boolean endsConnection) {
        client.connect();
        var first = client.session;
        client.createSession();
        client.renew();
        assertEquals(2, server.state.snapshots().sessions(9).size());
        if (endsConnection) {
            server.run(server.state.connectionEnded(client.connection, server.now));
            assertTrue(
                    server.state.snapshots().sessions(9).stream()
                            .allMatch(each -> each.connections() + each.backConnections() == 0));
        }
        server.ok(server.state.destroySession(first, null, client.sender(), server.now));
        client.renew();
    }
}
