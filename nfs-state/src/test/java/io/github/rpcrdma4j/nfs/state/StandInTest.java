package io.github.rpcrdma4j.nfs.state;

import static io.github.rpcrdma4j.nfs.state.StateServer.FILE;
import static io.github.rpcrdma4j.nfs.state.StateServer.LEASE;
import static io.github.rpcrdma4j.nfs.state.StateServer.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.ClientRecord;
import io.github.rpcrdma4j.nfs.state.table.TriedVerifiers;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: after a restart of the server, a client whose address has changed reclaims what it had, and
 * no other host that knows its name and verifier does so in its place.
 */
class StandInTest {
    private final StateServer server = StateServer.start();

    @BeforeEach
    void restartWithAClient() {
        var client = at("own", 1).connect();
        server.ok(client.reclaimComplete());
        client.open();
        server.restart();
    }

    private StateClient at(String place, long verifier) {
        var client = server.stranger("name");
        client.host = new StateServer.TestHost(place);
        client.place = place;
        client.verifier = verifier;
        return client;
    }

    /** Connects a client, which may be told the ID of another one first. */
    private StateClient connected(String place, long verifier) {
        return connected(at(place, verifier));
    }

    private StateClient connected(StateClient client) {
        client.exchangeId();
        var told = client.id;
        if (server.state.snapshots().clients(9, server.now).stream()
                .anyMatch(each -> each.clientId() == told && each.isConfirmed())) {
            server.refuses(Nfs4Status.STALE_CLIENTID, client.createSession(client.sequence));
            client.exchangeId();
        }
        client.createSession();
        return client;
    }

    private static Nfs4Status reclaim(StateClient client) {
        return client.open(FILE, "owner", 3, 3, true).status();
    }

    /** Whole table: who comes first, who then, and what the second one gets. */
    @ParameterizedTest
    @CsvSource({
        "none, 0, own,       1, OK",
        "none, 0, own,       2, OK",
        "none, 0, elsewhere, 1, OK",
        "none, 0, elsewhere, 2, RECLAIM_BAD",
        "own,  1, elsewhere, 1, RECLAIM_BAD",
        "own,  1, elsewhere, 2, RECLAIM_BAD",
        "own,  2, elsewhere, 1, RECLAIM_BAD",
        "new,  1, own,       1, OK",
        "new,  1, own,       2, OK",
        "new,  2, own,       1, OK",
        "new,  1, elsewhere, 1, RECLAIM_CONFLICT",
        "new,  1, elsewhere, 2, RECLAIM_BAD",
        "new,  2, elsewhere, 1, OK",
    })
    void theAddressOfTheRecordCountsFirst(
            String first, long itsVerifier, String then, long verifier, Nfs4Status expected) {
        StateClient before = null;
        if (!first.equals("none")) {
            before = connected(first, itsVerifier);
            reclaim(before);
        }
        var client = connected(then, verifier);
        assertEquals(expected, reclaim(client));
        if (before != null) {
            boolean isReplaced = first.equals("new") && itsVerifier == 1 && then.equals("own");
            assertEquals(
                    isReplaced ? Nfs4Status.BADSESSION : Nfs4Status.OK,
                    before.sequence(0, before.slotSequence + 1, false, 0).status());
            var losses = server.actions(Action.StateLost.class);
            assertEquals(isReplaced ? 1 : 0, losses.size());
            if (isReplaced) {
                assertEquals(Action.Loss.REPLACED, losses.getFirst().cause());
            }
        }
    }

    /** Nobody ends the grace period before the client has come, by saying that all is reclaimed. */
    @Test
    void theCompletionOfAnotherAddressEndsNoGrace() {
        var other = connected("elsewhere", 1);
        assertEquals(Nfs4Status.OK, reclaim(other));
        server.ok(other.reclaimComplete());
        assertTrue(server.state.isGrace());
        var client = connected("own", 1);
        assertEquals(Nfs4Status.OK, reclaim(client));
        server.ok(client.reclaimComplete());
        assertFalse(server.state.isGrace());
        assertEquals(0, server.actions(Action.GraceEnded.class).getFirst().missing());
        assertEquals(List.of("own"), server.records().stream().map(ClientRecord::place).toList());
    }

    @Test
    void whoStandsInIsNoLongerReplacedAfterTheGracePeriod() {
        var moved = connected("new", 1);
        assertEquals(Nfs4Status.OK, reclaim(moved));
        server.ok(moved.reclaimComplete());
        assertEquals(0, server.state.snapshots().awaited(9).size());
        for (int i = 0; i < 4 && server.state.isGrace(); i++) {
            server.pass(LEASE / 2);
            moved.renew();
        }
        assertFalse(server.state.isGrace());
        assertEquals(0, server.actions(Action.GraceEnded.class).getFirst().missing());
        connected("own", 2);
        moved.renew();
        assertEquals(List.of("new"), server.records().stream().map(ClientRecord::place).toList());
    }

    @Test
    void aClientThatHasComeAndIsNotCompleteIsMissing() {
        var other = connected("elsewhere", 1);
        server.ok(other.reclaimComplete());
        var client = connected("own", 1);
        server.pass(LEASE / 2);
        client.renew();
        server.pass(LEASE / 2 + SECOND);
        assertEquals(1, server.actions(Action.GraceEnded.class).getFirst().missing());
    }

    @Test
    void twoThatStandInForOneAreOne() {
        var first = new LeaseClient(server, "leased");
        first.place = "own";
        server.pass(3 * LEASE);
        server.ok(first.connect().open("owner", 3, 0));
        server.restart();
        for (var place : List.of("elsewhere", "new")) {
            var other = new LeaseClient(server, "leased");
            other.place = place;
            server.ok(other.connect().open("owner", 3, 0, true));
        }
        for (int i = 0; i < 4 && server.state.isGrace(); i++) {
            server.pass(LEASE / 2);
        }
        assertEquals(0, server.actions(Action.GraceEnded.class).getFirst().missing());
    }

    @Test
    void whoStandsInAndLeavesLetsTheClientReclaim() {
        var moved = connected("new", 1);
        server.ok(moved.destroySession());
        server.ok(moved.destroyClientId());
        assertEquals(1, server.state.snapshots().awaited(9).size());
        assertEquals(Nfs4Status.OK, reclaim(connected("own", 1)));
    }

    /** Whole table: who comes first, and what the client at the address of the record gets. */
    @ParameterizedTest
    @CsvSource({"own, its", "its, own"})
    void aRecordWithTheSameVerifierKeepsNoStandIn(String first, String second) {
        server.ok(connected("own", 1).reclaimComplete());
        var its = connected("its", 1);
        server.ok(its.reclaimComplete());
        its.open();
        server.restart();
        var standIn = connected("elsewhere", 1);
        assertEquals(Nfs4Status.OK, reclaim(standIn));
        var client = connected(first, 1);
        assertEquals(Nfs4Status.OK, reclaim(client));
        assertEquals(1, server.actions(Action.StateLost.class).size());
        assertEquals(
                Nfs4Status.BADSESSION,
                standIn.sequence(0, standIn.slotSequence + 1, false, 0).status());
        var again = connected("elsewhere", 1);
        assertEquals(Nfs4Status.RECLAIM_BAD, reclaim(again));
        // The other record is good at its own address alone.
        var other = connected(second, 1);
        assertEquals(
                Nfs4Status.OK, other.open(StateServer.OTHER_FILE, "owner", 3, 3, true).status());
        again.renew();
        assertEquals(1, server.actions(Action.StateLost.class).size());
    }

    @Test
    void aClientOfAnotherPrincipalReplacesNobody() {
        var own = connected("own", 1);
        server.ok(own.reclaimComplete());
        server.ok(own.open(FILE, "owner", 3, 0));
        var other = at("other", 1);
        other.principal = StateServer.OTHER;
        other.connect();
        server.ok(other.reclaimComplete());
        server.ok(other.open(StateServer.OTHER_FILE, "owner", 3, 0));
        server.restart();
        var moved = at("new", 1);
        moved.principal = StateServer.OTHER;
        moved.connect();
        connected("own", 1);
        moved.renew();
        assertEquals(Nfs4Status.OK, reclaim(moved));
    }

    /** Not even the ID of the one that stands in is told to the client. */
    @Test
    void theClientIsToldItsOwnId() {
        var other = connected("elsewhere", 1);
        var client = at("own", 1);
        assertNotEquals(other.id, client.exchangeId().clientId());
    }

    @Test
    void aPlaceThatTriedManyVerifiersStandsInForNobody() {
        for (int i = 2; i <= TriedVerifiers.MAX + 2; i++) {
            server.ok(at("elsewhere", i).exchangeId(0));
        }
        assertEquals(1, server.actions(Action.VerifiersTried.class).size());
        assertEquals(Nfs4Status.RECLAIM_BAD, reclaim(connected("elsewhere", 1)));
        // A neighbor in one network of IPv6, whose address has changed.
        var neighbor = at("new", 1);
        neighbor.host = new StateServer.TestHost("elsewhere");
        assertEquals(Nfs4Status.OK, reclaim(connected(neighbor)));
    }

    /** A client that comes back to its address with another verifier tries nothing. */
    @Test
    void theClientItselfTriesNothing() {
        for (int i = 2; i < 100; i++) {
            server.ok(at("own", i).exchangeId(0));
        }
        assertEquals(0, server.actions(Action.VerifiersTried.class).size());
    }

    @Test
    void version40StandsInLikewise() {
        var first = new LeaseClient(server, "leased");
        first.place = "own";
        server.pass(3 * LEASE);
        server.ok(first.connect().open("owner", 3, 0));
        server.restart();
        var other = new LeaseClient(server, "leased");
        other.place = "elsewhere";
        server.ok(other.connect().open("owner", 3, 0, true));
        var client = new LeaseClient(server, "leased");
        client.place = "own";
        server.ok(client.connect().open("owner", 3, 3, true));
        server.refuses(Nfs4Status.STALE_CLIENTID, other.renew());
        other.connect();
        assertEquals(Nfs4Status.RECLAIM_BAD, other.open("owner", 3, 0, true).status());
        server.pass(LEASE + SECOND);
        assertEquals(0, server.actions(Action.GraceEnded.class).getFirst().missing());
    }
}
