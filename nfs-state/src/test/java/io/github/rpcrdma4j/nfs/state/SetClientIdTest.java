package io.github.rpcrdma4j.nfs.state;

import static io.github.rpcrdma4j.nfs.state.StateServer.LEASE;
import static io.github.rpcrdma4j.nfs.state.StateServer.OTHER;
import static io.github.rpcrdma4j.nfs.state.StateServer.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.StateIdUse;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: SETCLIENTID and SETCLIENTID_CONFIRM follow the cases of RFC 7530, Sections 16.33.5 and
 * 16.34.5.
 */
class SetClientIdTest {
    private final StateServer server = StateServer.start();
    private final LeaseClient client = new LeaseClient(server, "client");

    /** What the server knows of the name before the call. */
    enum Known {
        NOTHING,
        UNCONFIRMED,
        CONFIRMED,
        /** Confirmed, and SETCLIENTID came again with the verifier. */
        UPDATED,
        /** Confirmed, and SETCLIENTID came again with another verifier. */
        RESTARTED,
        WITH_OPEN,
        /** With an open; the lease has expired. */
        EXPIRED,
        /** The name is that of a client with a session. */
        LATER_VERSION
    }

    private long confirmedId;

    private void prepare(Known known) {
        if (known == Known.NOTHING) {
            return;
        }
        if (known == Known.LATER_VERSION) {
            var later = server.stranger("client").connect();
            confirmedId = later.id;
            return;
        }
        client.setClientId();
        if (known == Known.UNCONFIRMED) {
            return;
        }
        server.ok(client.confirm(client.id, client.confirm));
        confirmedId = client.id;
        if (known == Known.UPDATED) {
            client.setClientId();
        } else if (known == Known.RESTARTED) {
            client.verifier = 3;
            client.setClientId();
        } else if (known == Known.WITH_OPEN || known == Known.EXPIRED) {
            server.ok(client.open("owner", 3, 0));
        }
        if (known == Known.EXPIRED) {
            server.pass(LEASE + SECOND);
        }
    }

    /** Whole table: what is known, the verifier of the confirmed client, and the principal. */
    @ParameterizedTest
    @CsvSource({
        "NOTHING,       true,  true,  NEW",
        "UNCONFIRMED,   true,  true,  NEW",
        "UNCONFIRMED,   false, true,  NEW",
        "UNCONFIRMED,   true,  false, NEW",
        "CONFIRMED,     true,  true,  SAME",
        "CONFIRMED,     false, true,  NEW",
        "CONFIRMED,     true,  false, NEW",
        "UPDATED,       true,  true,  SAME",
        "UPDATED,       false, true,  NEW",
        "RESTARTED,     true,  true,  SAME",
        "RESTARTED,     false, true,  NEW",
        "WITH_OPEN,     true,  true,  SAME",
        "WITH_OPEN,     false, true,  NEW",
        "WITH_OPEN,     true,  false, CLID_INUSE",
        "WITH_OPEN,     false, false, CLID_INUSE",
        "EXPIRED,       true,  true,  SAME",
        "EXPIRED,       true,  false, NEW",
        "LATER_VERSION, true,  true,  NEW",
        "LATER_VERSION, true,  false, CLID_INUSE",
    })
    void answersEveryCase(Known known, boolean hasVerifier, boolean hasPrincipal, String expected) {
        prepare(known);
        long lastId = client.id;
        long lastConfirm = client.confirm;
        client.verifier = hasVerifier ? 1 : 2;
        client.principal = hasPrincipal ? StateServer.ROOT : OTHER;
        var outcome = client.trySetClientId();
        switch (expected) {
            case "NEW" -> {
                assertEquals(Nfs4Status.OK, outcome.status());
                assertNotEquals(lastId, outcome.value().clientId());
                assertNotEquals(confirmedId, outcome.value().clientId());
                assertNotEquals(lastConfirm, outcome.value().verifier());
            }
            case "SAME" -> {
                assertEquals(Nfs4Status.OK, outcome.status());
                assertEquals(confirmedId, outcome.value().clientId());
                assertNotEquals(lastConfirm, outcome.value().verifier());
            }
            default -> assertEquals(Nfs4Status.valueOf(expected), outcome.status());
        }
    }

    @Test
    void onlyTheNewestVerifierConfirms() {
        var first = client.setClientId();
        client.setClientId();
        server.refuses(
                Nfs4Status.STALE_CLIENTID, client.confirm(first.clientId(), first.verifier()));
        server.refuses(Nfs4Status.STALE_CLIENTID, client.confirm(client.id, client.confirm + 1));
        server.refuses(Nfs4Status.STALE_CLIENTID, client.confirm(0, client.confirm));
        server.ok(client.confirm(client.id, client.confirm));
        server.ok(client.confirm(client.id, client.confirm));
    }

    @Test
    void anotherPrincipalConfirmsNothing() {
        client.setClientId();
        client.principal = OTHER;
        server.refuses(Nfs4Status.CLID_INUSE, client.confirm(client.id, client.confirm));
    }

    @Test
    void anUpdateKeepsTheStateAndTheOldVerifierUntilItIsConfirmed() {
        client.connect();
        var open = server.ok(client.open("owner", 3, 0));
        long old = client.confirm;
        client.setClientId();
        server.ok(client.confirm(client.id, old));
        server.ok(client.confirm(client.id, client.confirm));
        server.refuses(Nfs4Status.STALE_CLIENTID, client.confirm(client.id, old));
        server.ok(client.check(open, StateIdUse.WRITE));
    }

    @Test
    void aRestartedClientLosesItsStateWhenItIsConfirmed() {
        client.connect();
        var open = server.ok(client.open("owner", 3, 3));
        client.verifier = 2;
        client.setClientId();
        server.ok(client.check(open, StateIdUse.WRITE));
        server.ok(client.confirm(client.id, client.confirm));
        server.refuses(Nfs4Status.EXPIRED, client.check(open, StateIdUse.WRITE));
        server.ok(client.open("other", 3, 3));
    }

    @Test
    void aClientThatIsNotConfirmedHasNoIdAndIsForgottenAfterALease() {
        client.setClientId();
        server.refuses(Nfs4Status.STALE_CLIENTID, client.renew());
        server.pass(LEASE + SECOND);
        server.refuses(Nfs4Status.STALE_CLIENTID, client.confirm(client.id, client.confirm));
    }

    @Test
    void aClientOfOneMinorVersionIsNotFoundByTheOther() {
        client.connect();
        var later = server.stranger("later").connect();
        server.ok(later.reclaimComplete());
        var stateId = later.open();
        server.refuses(
                Nfs4Status.STALE_CLIENTID,
                server.state.version0().named(later.id, client.sender(), server.now));
        server.refuses(
                Nfs4Status.BAD_STATEID,
                server.state.version0().holding(stateId, client.sender(), server.now));
        server.refuses(Nfs4Status.STALE_CLIENTID, client.confirm(later.id, 0));
        later.id = client.id;
        server.refuses(Nfs4Status.STALE_CLIENTID, later.createSession(1));
        server.refuses(Nfs4Status.STALE_CLIENTID, later.destroyClientId());
        var own = server.ok(client.open("owner", 1, 0));
        server.refuses(Nfs4Status.BAD_STATEID, later.check(StateServer.FILE, own, StateIdUse.READ));
    }

    @Test
    void theNameGoesOverToALaterMinorVersionAndBack() {
        client.connect();
        var open = server.ok(client.open("owner", 3, 3));
        var later = server.stranger("client");
        later.connect();
        server.ok(later.reclaimComplete());
        server.refuses(Nfs4Status.EXPIRED, client.check(open, StateIdUse.READ));
        server.ok(later.open(StateServer.FILE, "owner", 3, 3));
        client.connect();
        assertEquals(1, server.state.snapshots().clients(10, server.now).size());
        server.ok(client.open("owner", 3, 3));
    }

    @Test
    void theLeaseIsRenewedByWhatNamesTheClientOrItsState() {
        client.connect();
        var open = server.ok(client.open("owner", 3, 3));
        for (int i = 0; i < 4; i++) {
            server.pass(LEASE - SECOND);
            server.ok(client.renew());
            server.pass(LEASE - SECOND);
            server.ok(client.check(open, StateIdUse.READ));
        }
        var other = new LeaseClient(server, "other").connect();
        server.refuses(Nfs4Status.SHARE_DENIED, other.open("owner", 1, 0));
    }

    /** A process of the server's machine may need the lock. */
    @Test
    void aClientWithLocksStartsAnewAfterItsLease() {
        client.connect();
        var open = server.ok(client.open("owner", 3, 3));
        var lock = client.locked(open, "locker", 0, 10);
        server.pass(LEASE + SECOND);
        assertEquals(1, server.actions(Action.CloseLocks.class).size());
        server.refuses(Nfs4Status.EXPIRED, client.renew());
        server.refuses(Nfs4Status.EXPIRED, client.unlock(lock, 0, 10));
        client.connect();
        client.locked(server.ok(client.open("owner", 3, 3)), "locker", 0, 10);
    }

    @Test
    void aClientThatLostItsStateLearnsOfItAndStartsAnew() {
        client.connect();
        var open = server.ok(client.open("owner", 3, 3));
        server.pass(LEASE + SECOND);
        var other = new LeaseClient(server, "other").connect();
        server.ok(other.open("owner", 3, 3));
        server.refuses(Nfs4Status.EXPIRED, client.renew());
        server.refuses(Nfs4Status.EXPIRED, client.check(open, StateIdUse.READ));
        long old = client.id;
        client.connect();
        assertNotEquals(old, client.id, "no update: the client has to know");
        server.ok(client.renew());
        server.refuses(Nfs4Status.SHARE_DENIED, client.open("owner", 1, 0));
    }

    @Test
    void manyUnconfirmedClientsOfOneHostDisplaceEachOther() {
        var first = client.setClientId();
        for (int i = 0; i < 3000; i++) {
            new LeaseClient(server, "flood" + i).setClientId();
        }
        server.refuses(
                Nfs4Status.STALE_CLIENTID, client.confirm(first.clientId(), first.verifier()));
        assertTrue(server.state.snapshots().clients(5000, server.now).size() <= 2000);
    }
}
