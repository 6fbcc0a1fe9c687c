package io.github.rpcrdma4j.nfs.state;

import static io.github.rpcrdma4j.nfs.state.StateServer.LEASE;
import static io.github.rpcrdma4j.nfs.state.StateServer.OTHER_FILE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.event.Principal;
import io.github.rpcrdma4j.nfs.state.event.StateIdUse;
import io.github.rpcrdma4j.nfs.state.table.ClientPlaces;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: a client of minor version 0 is used from its own addresses, and by the proven principal
 * that made it. Who knows its client ID or a stateid does nothing with these elsewhere, and renews
 * no lease. A client that moves to another address, or has several, goes on with what it has.
 */
class ClientPlacesTest {
    private static final Principal KERBEROS = new Principal("krb5:nfs/host@REALM");
    private static final Principal ALICE = new Principal("krb5:alice@REALM");

    private final StateServer server = StateServer.start();
    private final LeaseClient client = at("a", StateServer.ROOT);

    private LeaseClient at(String place, Principal principal) {
        var made = new LeaseClient(server, "client");
        made.place = place;
        made.principal = principal;
        return made;
    }

    /** Returns another client, which knows the client ID and calls from a place. */
    private LeaseClient knowing(LeaseClient known, String place, Principal principal) {
        var other = at(place, principal);
        other.id = known.id;
        return other;
    }

    private Outcome<Void> renew(LeaseClient by) {
        return server.run(server.state.version0().renew(by.id, by.sender(), server.now));
    }

    private Nfs4Status holding(LeaseClient by, StateId id) {
        return server.run(server.state.version0().holding(id, by.sender(), server.now)).status();
    }

    private Nfs4Status locking(LeaseClient by, StateId open) {
        var events = server.state.version0();
        return server.run(events.locking(by.id, open, by.sender(), server.now)).status();
    }

    private StateId opened(LeaseClient by) {
        return server.ok(by.connect().open("owner", 3, 3));
    }

    /** Whole table: who made the client at "a", and who calls from where. */
    @ParameterizedTest
    @CsvSource({
        "sys:0,  a, sys:0,   true",
        "sys:0,  a, sys:7,   true",
        "sys:0,  a, krb5:u,  true",
        "sys:0,  a, none,    true",
        "sys:0,  b, sys:0,   false",
        "sys:0,  b, sys:7,   false",
        "sys:0,  b, krb5:u,  false",
        "sys:0,  b, none,    false",
        "none,   b, none,    false",
        "krb5:h, a, krb5:h,  true",
        "krb5:h, a, krb5:u,  true",
        "krb5:h, a, sys:0,   true",
        "krb5:h, b, krb5:h,  true",
        "krb5:h, b, krb5:u,  false",
        "krb5:h, b, sys:0,   false",
        "krb5:h, b, none,    false",
    })
    void isUsedFromItsAddressesAndByTheProvenPrincipalThatMadeIt(
            String maker, String place, String caller, boolean isOwn) {
        client.principal = new Principal(maker);
        var open = opened(client);
        var by = knowing(client, place, new Principal(caller));
        assertEquals(isOwn ? Nfs4Status.OK : Nfs4Status.CB_PATH_DOWN, renew(by).status());
        assertEquals(isOwn ? Nfs4Status.OK : Nfs4Status.STALE_CLIENTID, by.renew().status());
        assertEquals(isOwn ? Nfs4Status.OK : Nfs4Status.STALE_STATEID, holding(by, open));
        assertEquals(isOwn ? Nfs4Status.OK : Nfs4Status.STALE_CLIENTID, locking(by, open));
    }

    @Test
    void whoCallsFromElsewhereRenewsNoLease() {
        var open = opened(client);
        var elsewhere = knowing(client, "b", StateServer.ROOT);
        for (int i = 0; i < 3; i++) {
            server.pass(LEASE / 2);
            renew(elsewhere);
            elsewhere.renew();
            holding(elsewhere, open);
            locking(elsewhere, open);
        }
        requireExpired();
    }

    @Test
    void aStateIdOfNothingRenewsNoLease() {
        var open = opened(client);
        var closed = server.ok(client.open(OTHER_FILE, "owner", 3, 0, false));
        server.ok(client.close(OTHER_FILE, closed));
        for (int i = 0; i < 3; i++) {
            server.pass(LEASE / 2);
            assertEquals(Nfs4Status.BAD_STATEID, holding(client, closed));
            var guessed = new StateId(open.sequence(), open.upper(), open.lower() + 1 + i);
            assertNotEquals(Nfs4Status.OK, holding(client, guessed));
        }
        requireExpired();
    }

    /** An expired client gives way. */
    private void requireExpired() {
        var other = new LeaseClient(server, "other");
        other.place = "c";
        server.ok(other.connect().open("owner", 3, 3));
    }

    @Test
    void aClientThatMovesSendsSetClientIdAndKeepsWhatItHas() {
        var open = opened(client);
        long id = client.id;
        client.place = "b";
        assertEquals(Nfs4Status.STALE_STATEID, holding(client, open));
        server.refuses(Nfs4Status.CB_PATH_DOWN, renew(client));
        client.setClientId();
        assertEquals(id, client.id);
        assertEquals(Nfs4Status.STALE_STATEID, holding(client, open), "not confirmed yet");
        server.ok(client.confirm(client.id, client.confirm));
        server.ok(renew(client));
        server.ok(client.check(open, StateIdUse.WRITE));
        client.place = "a";
        server.ok(client.check(open, StateIdUse.WRITE));
    }

    @Test
    void anAddressNeedsTheVerifierOfTheClient() {
        var open = opened(client);
        var other = knowing(client, "b", StateServer.ROOT);
        other.verifier = 2;
        other.connect();
        assertNotEquals(client.id, other.id);
        other.id = client.id;
        assertEquals(Nfs4Status.STALE_CLIENTID, other.renew().status());
        assertEquals(Nfs4Status.STALE_STATEID, holding(other, open));
    }

    @Test
    void anAddressNeedsTheVerifierOfSetClientId() {
        opened(client);
        client.setClientId();
        var other = knowing(client, "b", StateServer.ROOT);
        server.refuses(Nfs4Status.STALE_CLIENTID, other.confirm(client.id, client.confirm + 1));
        assertEquals(Nfs4Status.STALE_CLIENTID, other.renew().status());
    }

    /** Linux takes its state for lost when SETCLIENTID_CONFIRM gets STALE_CLIENTID. */
    @Test
    void aClientMayMoveBeforeItConfirms() {
        client.setClientId();
        var moved = knowing(client, "b", StateServer.ROOT);
        server.ok(moved.confirm(client.id, client.confirm));
        server.ok(moved.renew());
        moved.setClientId();
        var movedAgain = knowing(client, "c", StateServer.ROOT);
        server.ok(movedAgain.confirm(client.id, moved.confirm));
        server.ok(movedAgain.renew());
        server.ok(moved.renew());
    }

    @Test
    void aProvenPrincipalMakesItsAddressKnownToTheUsersOfItsHost() {
        client.principal = KERBEROS;
        var open = opened(client);
        var user = knowing(client, "b", ALICE);
        assertEquals(Nfs4Status.STALE_STATEID, holding(user, open));
        server.ok(renew(knowing(client, "b", KERBEROS)));
        assertEquals(Nfs4Status.OK, holding(user, open));
    }

    @Test
    void theAddressesOfAClientAreBounded() {
        var open = opened(client);
        for (int i = 0; i <= ClientPlaces.MAX; i++) {
            client.place = "address " + i;
            renew(client);
            client.setClientId();
            server.ok(client.confirm(client.id, client.confirm));
        }
        for (int i = 1; i <= ClientPlaces.MAX; i++) {
            client.place = "address " + i;
            assertEquals(Nfs4Status.OK, holding(client, open));
        }
        client.place = "address 0";
        assertEquals(Nfs4Status.STALE_STATEID, holding(client, open));
        client.place = "a";
        assertEquals(Nfs4Status.OK, holding(client, open), "where it was made");
    }

    @Test
    void aLockOwnerIsOfTheClientOfTheOpen() {
        var open = opened(client);
        var neighbor = new LeaseClient(server, "neighbor");
        neighbor.place = client.place;
        neighbor.connect();
        assertEquals(Nfs4Status.BAD_STATEID, locking(neighbor, open));
        assertEquals(Nfs4Status.OK, locking(client, open));
    }

    /** Behind a gateway, clients have one address. */
    @Test
    void aStateIdTellsNoOther() {
        var open = opened(client);
        var next = server.ok(client.open(OTHER_FILE, "owner", 3, 0, false));
        assertNotEquals((int) open.upper(), (int) next.upper(), "what is of the client");
        assertTrue(Math.abs(open.lower() - next.lower()) > 1, "what is of the state");
    }

    /** A stateid of another file is as unknown as any. */
    @Test
    void aSequenceIsLookedAtInItsOwnFileOnly() {
        var open = opened(client);
        var elsewhere = server.ok(client.open(OTHER_FILE, "owner", 3, 0, false));
        server.refuses(Nfs4Status.OLD_STATEID, client.check(open.withSequence(0), StateIdUse.READ));
        server.refuses(
                Nfs4Status.BAD_STATEID, client.check(elsewhere.withSequence(0), StateIdUse.READ));
    }
}
