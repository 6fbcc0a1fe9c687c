package io.github.rpcrdma4j.nfs.state;

import static io.github.rpcrdma4j.nfs.state.StateServer.FILE;
import static io.github.rpcrdma4j.nfs.state.StateServer.LEASE;
import static io.github.rpcrdma4j.nfs.state.StateServer.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.ExchangeIdCall;
import io.github.rpcrdma4j.nfs.state.table.TriedVerifiers;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments.BindConnToSession.Direction;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: without Kerberos, a name and a verifier make nobody a client of another address, because
 * other servers know both, and verifiers can be guessed. What only the client knows does.
 */
class JoiningTest {
    private static final int UPDATE = ExchangeIdCall.UPDATE;

    private StateServer server = StateServer.start();

    /** What the known client does. */
    enum Known {
        /** It has just called. */
        LIVE,
        /** It has an open, and its lease has expired. */
        SILENT,
        /** It has no connection any more. */
        DISCONNECTED,
        /** Its session was destroyed. */
        WITHOUT_SESSION
    }

    private StateClient at(String place, long verifier) {
        var client = server.stranger("name");
        client.host = new StateServer.TestHost(place);
        client.place = place;
        client.verifier = verifier;
        return client;
    }

    /** Makes the client at "own", which has shown its session at "shown". */
    private StateClient known(Known known) {
        var client = at("own", 1).connect();
        server.ok(client.reclaimComplete());
        client.open();
        shows(client, "shown");
        refused(client.id, "refused");
        switch (known) {
            case LIVE -> client.renew();
            case SILENT -> server.pass(LEASE + SECOND);
            case DISCONNECTED ->
                    server.run(server.state.connectionEnded(client.connection, server.now));
            case WITHOUT_SESSION -> server.ok(client.destroySession());
        }
        return client;
    }

    /** A client uses its session from another address. */
    private static void shows(StateClient client, String place) {
        var own = client.place;
        var connection = client.connection;
        client.place = place;
        client.connection = StateClient.newConnection();
        client.renew();
        client.server.run(
                client.server.state.connectionEnded(client.connection, client.server.now));
        client.place = own;
        client.connection = connection;
    }

    /** A sender asks for a session of a client. */
    private void refused(long id, String place) {
        var other = at(place, 1);
        other.id = id;
        server.refuses(Nfs4Status.STALE_CLIENTID, other.createSession(2));
    }

    private void tryMany(String place) {
        for (int i = 0; i <= TriedVerifiers.MAX; i++) {
            server.ok(at(place, 1000 + i).exchangeId(0));
        }
    }

    /**
     * Whole table of version 4.1, for each thing that the known client may be doing: from where and
     * with which verifier EXCHANGE_ID comes, and whether its place has tried too many. Then: which
     * client ID it gets, and whether CREATE_SESSION and DESTROY_CLIENTID with the ID of the known
     * client are taken from there.
     */
    @ParameterizedTest
    @CsvSource({
        "own,       true,  false, SAME,    true",
        "own,       true,  true,  SAME,    true",
        "own,       false, false, ENDS,    true",
        "own,       false, true,  ENDS,    true",
        "shown,     true,  false, SAME,    true",
        "shown,     true,  true,  SAME,    true",
        "shown,     false, false, ANOTHER, true",
        "shown,     false, true,  ANOTHER, true",
        "elsewhere, true,  false, TOLD,    false",
        "elsewhere, true,  true,  ANOTHER, false",
        "elsewhere, false, false, ANOTHER, false",
        "elsewhere, false, true,  ANOTHER, false",
        "refused,   true,  false, ANOTHER, false",
        "refused,   true,  true,  ANOTHER, false",
        "refused,   false, false, ANOTHER, false",
        "refused,   false, true,  ANOTHER, false",
    })
    void aNameAndAVerifierMakeNobodyAClientOfAnotherAddress(
            String place,
            boolean hasVerifier,
            boolean hasTried,
            String expected,
            boolean isOfClient) {
        for (var known : Known.values()) {
            server = StateServer.start();
            var client = known(known);
            if (hasTried) {
                tryMany(place);
            }
            var other = at(place, hasVerifier ? 1 : 2);
            boolean isSame = expected.equals("SAME") || expected.equals("TOLD");
            var exchanged = other.exchangeId();
            assertEquals(isSame, exchanged.clientId() == client.id, known + ": the ID");
            var user = at(place, 1);
            user.id = client.id;
            user.sequence = client.sequence;
            var forbidden = isOfClient ? Nfs4Status.CLIENTID_BUSY : Nfs4Status.STALE_CLIENTID;
            assertEquals(forbidden, user.destroyClientId().status(), known.name());
            var status = isOfClient ? Nfs4Status.OK : Nfs4Status.STALE_CLIENTID;
            // Also a retry, which would tell the session of the client.
            assertEquals(status, user.createSession(client.sequence - 1).status(), known.name());
            assertEquals(status, user.createSession(client.sequence).status(), known.name());
            if (expected.equals("TOLD")) {
                assertEquals(Nfs4Status.NOENT, other.exchangeId(UPDATE).status());
                // It is told to get a client of its own, and does.
                assertNotEquals(client.id, other.exchangeId().clientId());
            }
            if (!expected.equals("SAME")) {
                other.createSession();
                other.renew();
                boolean isLeft =
                        server.state.snapshots().clients(9, server.now).stream()
                                .anyMatch(each -> each.clientId() == client.id);
                assertEquals(!expected.equals("ENDS"), isLeft, known.name());
            }
        }
    }

    /** Each operation that has a session ID shows that the sender is the client. */
    @ParameterizedTest
    @EnumSource
    void whoHasASessionIdIsTheClient(Shown shown) {
        var client = at("own", 1).connect();
        var moved = at("new", 1);
        moved.id = client.id;
        moved.session = client.session;
        moved.sequence = client.sequence;
        server.refuses(Nfs4Status.STALE_CLIENTID, moved.createSession(moved.sequence));
        server.run(server.state.connectionEnded(client.connection, server.now));
        shown.by.accept(moved);
        assertEquals(client.id, moved.exchangeId().clientId());
        moved.createSession();
        moved.renew();
    }

    enum Shown {
        SEQUENCE(StateClient::renew),
        BIND_FORE(each -> bind(each, Direction.FORE)),
        BIND_BACK(each -> bind(each, Direction.BACK)),
        DESTROY_SESSION(each -> each.server.ok(each.destroySession()));

        private final Consumer<StateClient> by;

        Shown(Consumer<StateClient> by) {
            this.by = by;
        }

        private static void bind(StateClient client, Direction direction) {
            var server = client.server;
            server.ok(
                    server.state.bindConnection(
                            client.session, direction, client.sender(), server.now));
        }
    }

    /** A client may use the ID of an EXCHANGE_ID from the same address only. */
    @Test
    void aSessionIsMadeFromWhereTheClientIdWasAskedFor() {
        var client = at("own", 1);
        client.exchangeId();
        var other = at("elsewhere", 1);
        other.id = client.id;
        server.refuses(Nfs4Status.STALE_CLIENTID, other.createSession(1));
        server.refuses(Nfs4Status.STALE_CLIENTID, other.destroyClientId());
        client.createSession();
    }

    /**
     * A host that has used a name and verifier first does not keep the client out. Linux finds that
     * its ID is confirmed, and purges it with a verifier of its own kind.
     */
    @Test
    void whoHasComeFirstKeepsNobodyOut() {
        var first = at("elsewhere", 1).connect();
        var client = at("own", 1);
        assertEquals(first.id, client.exchangeId().clientId());
        client.verifier = -1;
        client.connect();
        client.verifier = 1;
        client.connect();
        assertNotEquals(first.id, client.id);
        client.renew();
        first.renew();
        var again = at("own", 1);
        assertEquals(client.id, again.exchangeId().clientId());
    }

    private LeaseClient leased(String place, long verifier) {
        var client = new LeaseClient(server, "name");
        client.host = new StateServer.TestHost(place);
        client.place = place;
        client.verifier = verifier;
        return client;
    }

    /**
     * Whole table of version 4.0: from where and with which verifier SETCLIENTID comes. A sender at
     * "named" knows the client ID, the one at "held" a stateid.
     */
    @ParameterizedTest
    @CsvSource({
        "own,       true,  SAME",
        "own,       false, ENDS",
        "named,     true,  SAME",
        "named,     false, ANOTHER",
        "held,      true,  SAME",
        "held,      false, ANOTHER",
        "elsewhere, true,  ANOTHER",
        "elsewhere, false, ANOTHER",
    })
    void inVersion40TheClientIdIsNeededToo(String place, boolean hasVerifier, String expected) {
        for (boolean isSilent : new boolean[] {false, true}) {
            server = StateServer.start();
            var client = leased("own", 1).connect();
            var open = server.ok(client.open("owner", 3, 0));
            if (isSilent) {
                server.pass(LEASE + SECOND);
            }
            var other = leased(place, hasVerifier ? 1 : 2);
            var events = server.state.version0();
            if (place.equals("named")) {
                server.refuses(
                        Nfs4Status.CB_PATH_DOWN,
                        events.renew(client.id, other.sender(), server.now));
            } else if (place.equals("held")) {
                server.refuses(
                        Nfs4Status.STALE_STATEID, events.holding(open, other.sender(), server.now));
            }
            other.setClientId();
            assertEquals(expected.equals("SAME"), other.id == client.id);
            server.ok(other.confirm(other.id, other.confirm));
            server.ok(other.renew());
            boolean isLeft = client.renew().isOk();
            assertEquals(!expected.equals("ENDS"), isLeft);
        }
    }

    @Test
    void aStateIdOfNothingShowsNothing() {
        var client = leased("own", 1).connect();
        var open = server.ok(client.open("owner", 3, 0));
        server.ok(client.close(FILE, open));
        var other = leased("elsewhere", 1);
        var events = server.state.version0();
        server.refuses(Nfs4Status.STALE_STATEID, events.holding(open, other.sender(), server.now));
        other.setClientId();
        assertNotEquals(client.id, other.id);
    }

    /** A client ID of version 4.0 is a secret. */
    @Test
    void exchangeIdIsToldNoClientIdOfVersion40() {
        var client = leased("own", 1).connect();
        assertNotEquals(client.id, at("elsewhere", 1).exchangeId().clientId());
    }

    @Test
    void hostsThatTryManyVerifiersAreTold() {
        withKnown();
        // The same one again is none more: two machines may have one name.
        for (int i = 0; i < 100; i++) {
            server.ok(at("elsewhere", 2).exchangeId(0));
        }
        assertEquals(0, server.actions(Action.VerifiersTried.class).size());
        for (int i = 3; i < 2 + TriedVerifiers.MAX; i++) {
            server.ok(at("elsewhere", i).exchangeId(0));
        }
        assertEquals(0, server.actions(Action.VerifiersTried.class).size());
        for (int i = 100; i < 200; i++) {
            server.ok(at("elsewhere", i).exchangeId(0));
        }
        var told = server.actions(Action.VerifiersTried.class);
        assertEquals(1, told.size());
        assertEquals(new StateServer.TestHost("elsewhere"), told.getFirst().host());
    }

    private StateClient withKnown() {
        var client = at("own", 1).connect();
        server.ok(client.reclaimComplete());
        return client;
    }

    @Test
    void namesOfNobodyAndOfOtherPrincipalsAreNoTries() {
        withKnown();
        for (int i = 0; i < 100; i++) {
            var unknown = at("elsewhere", i);
            unknown.principal = StateServer.OTHER;
            server.ok(unknown.exchangeId(0));
            // Nor is a client that restarts.
            at("elsewhere 2", i + 2).connect();
        }
        var tried = server.actions(Action.VerifiersTried.class);
        assertEquals(0, tried.size());
    }

    /** Such as those of many clients that move behind one NAT. */
    @Test
    void rightVerifiersAreNoTries() {
        for (int i = 0; i <= TriedVerifiers.MAX; i++) {
            at("own " + i, i).connect();
        }
        for (int i = 0; i <= TriedVerifiers.MAX; i++) {
            server.ok(at("elsewhere", i).exchangeId(0));
        }
        assertEquals(0, server.actions(Action.VerifiersTried.class).size());
    }

    @Test
    void version40CountsTries() {
        leased("own", 1).connect();
        for (int i = 2; i <= TriedVerifiers.MAX + 2; i++) {
            leased("elsewhere", i).setClientId();
        }
        assertEquals(1, server.actions(Action.VerifiersTried.class).size());
    }
}
