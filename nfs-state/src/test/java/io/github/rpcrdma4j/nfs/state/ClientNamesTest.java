package io.github.rpcrdma4j.nfs.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.ClientRecord;
import io.github.rpcrdma4j.nfs.state.event.ExchangeIdCall;
import io.github.rpcrdma4j.nfs.state.event.Principal;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: without a proof, a name of a client is valid at its address: another host neither ends nor
 * takes over what the client has. One client may have several addresses.
 */
class ClientNamesTest {
    private static final Principal KERBEROS = new Principal("krb5:nfs/host@REALM");

    private final StateServer server = StateServer.start();

    private StateClient at(String place, long verifier, Principal principal) {
        var client = server.stranger("name");
        client.place = place;
        client.verifier = verifier;
        client.principal = principal;
        return client;
    }

    private StateClient at(String place, long verifier) {
        return at(place, verifier, StateServer.ROOT);
    }

    private static StateClient withOpen(StateClient client) {
        client.connect();
        client.server.ok(client.reclaimComplete());
        client.open();
        return client;
    }

    private boolean isAlive(StateClient client) {
        return client.sequence(0, client.slotSequence + 1, false, 0).status() == Nfs4Status.OK;
    }

    /** Whole table: the address, the verifier and the principal of the one that comes later. */
    @ParameterizedTest
    @CsvSource({
        "a, 1, sys:0, sys:0, SAME",
        "a, 2, sys:0, sys:0, ENDS",
        "a, 1, sys:0, sys:1, CLID_INUSE",
        "a, 2, sys:0, sys:1, CLID_INUSE",
        "b, 1, sys:0, sys:0, TOLD",
        "b, 2, sys:0, sys:0, ANOTHER",
        "b, 1, sys:0, sys:1, ANOTHER",
        "b, 2, sys:0, sys:1, ANOTHER",
        "a, 1, none, none, SAME",
        "a, 2, none, none, ENDS",
        "b, 1, none, none, TOLD",
        "b, 2, none, none, ANOTHER",
        "a, 1, krb5:h, krb5:h, SAME",
        "a, 2, krb5:h, krb5:h, ENDS",
        "b, 1, krb5:h, krb5:h, SAME",
        "b, 2, krb5:h, krb5:h, ENDS",
        "b, 2, krb5:h, krb5:i, CLID_INUSE",
        "a, 1, krb5:h, sys:0, ANOTHER",
        "b, 2, krb5:h, sys:0, ANOTHER",
        "b, 2, sys:0, krb5:h, ANOTHER",
    })
    void aNameBelongsToTheAddressOrToThePrincipal(
            String place, long verifier, String first, String then, String expected) {
        var client = withOpen(at("a", 1, new Principal(first)));
        var other = at(place, verifier, new Principal(then));
        if (expected.equals("CLID_INUSE")) {
            assertEquals(Nfs4Status.CLID_INUSE, other.exchangeId(0).status());
            assertTrue(isAlive(client));
            return;
        }
        other.exchangeId();
        if (expected.equals("SAME") || expected.equals("TOLD")) {
            assertEquals(client.id, other.id);
            boolean mayUse = expected.equals("SAME");
            assertEquals(
                    mayUse ? Nfs4Status.OK : Nfs4Status.STALE_CLIENTID,
                    other.createSession(other.sequence).status());
            assertTrue(isAlive(client));
            return;
        }
        assertNotEquals(client.id, other.id);
        other.createSession();
        assertEquals(expected.equals("ANOTHER"), isAlive(client));
        assertTrue(isAlive(other));
    }

    /** So Linux finds out that two addresses of a server reach one server. */
    @Test
    void aClientWithTwoAddressesHasOneClientIdAndUsesItsSessionFromBoth() {
        var first = withOpen(at("a", 1));
        var second = at("b", 1);
        second.exchangeId();
        assertEquals(first.id, second.id);
        second.session = first.session;
        second.slotSequence = first.slotSequence;
        second.renew();
        // It has shown the session ID there, so it may make another session from there.
        second.sequence = first.sequence;
        second.createSession();
        assertTrue(isAlive(second));
    }

    /** What it had at the other one ends with its lease, or when it comes from there. */
    @Test
    void aClientWithTwoAddressesRestartsAtTheOneThatItWasMadeAt() {
        var first = withOpen(at("a", 1));
        var restarted = at("b", 2).connect();
        assertTrue(isAlive(first));
        var again = at("a", 2).connect();
        assertTrue(isAlive(restarted));
        assertTrue(isAlive(again));
        server.refuses(Nfs4Status.BADSESSION, first.sequence(0, 9, false, 0));
    }

    /** Nobody is locked out: a client that comes back with another address is a new one. */
    @Test
    void anotherAddressNeedsNoLeaseToEnd() {
        withOpen(at("a", 1));
        for (int i = 0; i < 5; i++) {
            var moved = at("place " + i, 2 + i).connect();
            server.ok(moved.reclaimComplete());
            assertTrue(isAlive(moved));
        }
    }

    @Test
    void anUpdateNeedsTheVerifierAndAnAddressOfTheClient() {
        var client = withOpen(at("a", 1));
        int update = ExchangeIdCall.UPDATE;
        assertEquals(Nfs4Status.NOENT, at("b", 2).exchangeId(update).status());
        assertEquals(Nfs4Status.NOT_SAME, at("a", 2).exchangeId(update).status());
        var second = at("b", 1);
        assertEquals(Nfs4Status.NOENT, second.exchangeId(update).status());
        second.session = client.session;
        second.slotSequence = client.slotSequence;
        second.renew();
        assertEquals(Nfs4Status.OK, second.exchangeId(update).status());
        assertTrue(isAlive(second));
    }

    /** After a restart of the server, the record counts. */
    @ParameterizedTest
    @CsvSource({
        "a, 1, sys:0, OK",
        "a, 2, sys:0, OK",
        "b, 1, sys:0, OK",
        "b, 2, sys:0, RECLAIM_BAD",
        "b, 2, sys:1, RECLAIM_BAD",
        "b, 1, sys:1, RECLAIM_BAD",
        "a, 1, sys:1, CLID_INUSE",
    })
    void anotherAddressReclaimsNothing(
            String place, long verifier, String principal, Nfs4Status expected) {
        withOpen(at("a", 1));
        server.restart();
        var other = at(place, verifier, new Principal(principal));
        var exchanged = other.exchangeId(0);
        if (expected == Nfs4Status.CLID_INUSE) {
            assertEquals(expected, exchanged.status());
            return;
        }
        other.connect();
        assertEquals(expected, other.open(StateServer.FILE, "owner", 1, 0, true).status());
    }

    @Test
    void whoReclaimedFromElsewhereIsAwaitedNoMoreAndHasARecordThere() {
        withOpen(at("a", 1));
        server.restart();
        assertEquals(1, server.state.snapshots().awaited(10).size());
        var moved = at("b", 1).connect();
        assertEquals(0, server.state.snapshots().awaited(10).size());
        server.ok(moved.reclaimComplete());
        server.pass(StateServer.LEASE / 2);
        moved.renew();
        server.pass(StateServer.LEASE / 2 + 1);
        server.ok(moved.open(StateServer.FILE, "owner", 1, 0));
        var places = server.records().stream().map(ClientRecord::place).toList();
        assertEquals(List.of("b"), places);
        assertEquals(0, server.actions(Action.GraceEnded.class).getFirst().missing());
    }

    @Test
    void aNameWithAProofIsTheSameEverywhere() {
        var client = withOpen(at("a", 1, KERBEROS));
        at("b", 2, KERBEROS).connect();
        assertFalse(isAlive(client));
    }
}
