package io.github.rpcrdma4j.nfs.state;

import static io.github.rpcrdma4j.nfs.state.StateServer.FILE;
import static io.github.rpcrdma4j.nfs.state.StateServer.LEASE;
import static io.github.rpcrdma4j.nfs.state.StateServer.LOCAL_TIME;
import static io.github.rpcrdma4j.nfs.state.StateServer.OTHER_FILE;
import static io.github.rpcrdma4j.nfs.state.StateServer.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.DelegateCall.Wish;
import io.github.rpcrdma4j.nfs.state.event.DelegationOutcome.Granted;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments.BindConnToSession.Direction;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: a client that the server could not call, because too many other calls are in progress, does
 * not lose its delegation for that.
 */
class UncalledClientsTest {
    private static final int READ = 1;
    private static final int WRITE = 2;

    private final StateServer server = StateServer.start();
    private final StateClient client = server.client("client").answering();
    private final StateClient other = server.client("other").answering();

    private List<Action.Recall> recalls() {
        return server.actions(Action.Recall.class);
    }

    /** Its time begins with the call. */
    @Test
    void aClientThatWasNotCalledIsCalledLaterAndHasItsWholeTime() {
        var delegation = client.delegated("owner", READ);
        server.refuses(Nfs4Status.DELAY, other.open(FILE, "other", WRITE, 0));
        server.state.delegations().notSent(recalls().getLast());
        server.pass(LEASE / 2);
        assertEquals(2, recalls().size(), "nobody has to ask for the file again");
        assertEquals(recalls().getFirst(), recalls().getLast());
        client.renew();
        other.renew();
        server.pass(LEASE);
        assertEquals(2, recalls().size(), "it was called");
        server.ok(client.returnDelegation(FILE, delegation));
        server.ok(other.open(FILE, "other", WRITE, 0));
    }

    private int taken() {
        return server.actions(Action.DelegationTaken.class).size();
    }

    private void pass(long nanos) {
        for (long left = nanos; left > 0; left -= LEASE / 2) {
            server.pass(Math.min(left, LEASE / 2));
            List.of(client, other).forEach(StateClient::renew);
        }
    }

    @Test
    void aClientThatIsNeverCalledLosesNothing() {
        client.delegated("owner", READ);
        server.refuses(Nfs4Status.DELAY, other.open(FILE, "other", WRITE, 0));
        for (int seconds = 0; seconds <= 5 * LEASE / SECOND; seconds++) {
            server.state.delegations().notSent(recalls().getLast());
            pass(SECOND);
        }
        assertEquals(0, taken());
        pass(LEASE);
        assertEquals(0, taken(), "its time has begun with the last call");
        pass(1);
        assertEquals(1, taken());
        server.ok(other.open(FILE, "other", WRITE, 0));
    }

    /** Whole table: for how many leases it waits, and whether others ask for the file meanwhile. */
    @Test
    void aRecallThatWaitsForAPermitIsNotRepeatedAndTakesNoTime() {
        for (int leases = 0; leases <= 4; leases++) {
            for (boolean isAsked : new boolean[] {false, true}) {
                var one = new UncalledClientsTest();
                one.client.delegated("owner", READ);
                one.server.refuses(Nfs4Status.DELAY, one.other.open(FILE, "other", WRITE, 0));
                var call = one.recalls().getLast();
                one.server.state.delegations().waits(call);
                for (int i = 0; i < 2 * leases; i++) {
                    one.pass(LEASE / 2);
                    if (isAsked) {
                        one.server.refuses(
                                Nfs4Status.DELAY, one.other.open(FILE, "other", WRITE, 0));
                    }
                }
                assertEquals(1, one.recalls().size(), "it waits");
                assertTrue(one.server.state.delegations().isNeeded(call));
                one.server.state.delegations().begun(call, one.server.now);
                one.server.state.delegations().taken(call);
                one.pass(LEASE);
                assertEquals(0, one.taken(), leases + " " + isAsked);
                one.pass(1);
                assertEquals(1, one.taken(), leases + " " + isAsked);
                assertEquals(
                        Action.TakenBecause.NOT_RETURNED,
                        one.server.actions(Action.DelegationTaken.class).getFirst().why());
                assertFalse(one.server.state.delegations().isNeeded(call));
            }
        }
    }

    /** Those that wait for a permit do not keep others from losing theirs in time. */
    @Test
    void whoWasCalledLosesItThoughAnotherWaitsForAPermit() {
        client.delegated("owner", READ);
        var second = server.client("second").answering();
        second.delegated("owner", READ);
        server.refuses(Nfs4Status.DELAY, other.open(FILE, "other", WRITE, 0));
        var calls = recalls();
        assertEquals(client.id, calls.getFirst().clientId());
        server.state.delegations().waits(calls.getFirst());
        server.state.delegations().taken(calls.getLast());
        for (int i = 0; i < 2; i++) {
            pass(LEASE / 2);
            second.renew();
        }
        pass(1);
        var taken = server.actions(Action.DelegationTaken.class);
        assertEquals(List.of(second.id), taken.stream().map(each -> each.client().id()).toList());
    }

    /** It has no back channel when it is its turn. */
    @Test
    void aClientThatCannotBeCalledHasALeaseFromThenOn() {
        client.delegated("owner", READ);
        server.refuses(Nfs4Status.DELAY, other.open(FILE, "other", WRITE, 0));
        var call = recalls().getLast();
        server.state.delegations().waits(call);
        pass(3 * LEASE);
        disconnect();
        server.state.delegations().begun(call, server.now);
        server.state.delegations().notTaken(call);
        for (int i = 0; i < 2; i++) {
            assertEquals(0, taken());
            server.pass(LEASE / 2);
            other.renew();
        }
        server.pass(1);
        assertTrue(taken() > 0 || !server.state.delegations().isNeeded(call));
    }

    /** It has lost its connection before a call that found no room was repeated. */
    @Test
    void aCallThatFoundNoRoomIsRepeatedThoughTheClientIsGone() {
        client.delegated("owner", READ);
        server.refuses(Nfs4Status.DELAY, other.open(FILE, "other", WRITE, 0));
        server.state.delegations().notSent(recalls().getLast());
        disconnect();
        server.pass(SECOND);
        assertEquals(2, recalls().size(), "else nobody learns that it cannot be called");
    }

    /** Those whose time began later do not keep it from those that were called first. */
    @Test
    void whoWasCalledFirstLosesItFirst() {
        client.delegated("owner", READ);
        var second = server.client("second").answering();
        var kept = second.delegated("owner", READ);
        server.refuses(Nfs4Status.DELAY, other.open(FILE, "other", WRITE, 0));
        var late = recalls().stream().filter(each -> each.clientId() == second.id).toList();
        server.state.delegations().notSent(late.getFirst());
        server.pass(LEASE / 2);
        List.of(client, second, other).forEach(StateClient::renew);
        server.pass(LEASE / 2 + 1);
        var taken = server.actions(Action.DelegationTaken.class);
        assertEquals(1, taken.size());
        assertEquals(client.id, taken.getFirst().client().id());
        server.ok(second.returnDelegation(FILE, kept));
        server.ok(other.open(FILE, "other", WRITE, 0));
    }

    /** Whole table: why the client may not know, whether it can be called, and how much later. */
    @Test
    void aRecallIsRepeatedAsSoonAsItCanBe() {
        for (boolean isSent : new boolean[] {false, true}) {
            for (boolean isUp : new boolean[] {false, true}) {
                for (int seconds = 1; seconds <= 3; seconds++) {
                    var one = new UncalledClientsTest();
                    one.client.delegated("owner", READ);
                    one.server.refuses(Nfs4Status.DELAY, one.other.open(FILE, "other", WRITE, 0));
                    if (isSent) {
                        one.server.state.delegations().notTaken(one.recalls().getLast());
                    } else {
                        one.server.state.delegations().notSent(one.recalls().getLast());
                    }
                    if (!isUp) {
                        one.disconnect();
                    }
                    one.server.pass(seconds * SECOND);
                    // Whether a client that was not called can be called is to be seen.
                    boolean isRepeated = !isSent || isUp && seconds > 2;
                    assertEquals(
                            isRepeated ? 2 : 1,
                            one.recalls().size(),
                            isSent + " " + isUp + " after " + seconds + " s");
                }
            }
        }
    }

    private void disconnect() {
        server.ok(server.state.connectionEnded(client.connection, server.now));
    }

    @Test
    void aClientThatIsBackIsCalledAndItsTimeGoesOn() {
        client.delegated("owner", READ);
        server.refuses(Nfs4Status.DELAY, other.open(FILE, "other", WRITE, 0));
        server.state.delegations().notTaken(recalls().getLast());
        disconnect();
        server.pass(LEASE / 2);
        assertEquals(1, recalls().size());
        client.connection = StateClient.newConnection();
        server.ok(
                server.state.bindConnection(
                        client.session, Direction.BACK, client.sender(), server.now));
        server.pass(SECOND);
        assertEquals(2, recalls().size());
        List.of(client, other).forEach(StateClient::renew);
        server.pass(LEASE / 2 - SECOND);
        assertEquals(List.of(), server.actions(Action.DelegationTaken.class));
        server.pass(1);
        assertEquals(1, server.actions(Action.DelegationTaken.class).size());
    }

    /** The kernel lets the local process go on, whether the client was called or not. */
    @Test
    void aClientThatIsNeverCalledLosesItBeforeLocalProcessesGoOn() {
        client.delegated("owner", READ);
        server.ok(server.state.delegations().localConflict(FILE, server.now));
        for (long passed = 0; passed < LOCAL_TIME; passed += SECOND) {
            assertTrue(server.leases.holds(FILE));
            server.state.delegations().notSent(recalls().getLast());
            server.pass(SECOND);
        }
        assertTrue(recalls().size() > 40, "it was to be called again and again");
        server.pass(1);
        assertFalse(server.leases.holds(FILE));
    }

    /** Those whose time began anew for other clients are in no order of their own. */
    @Test
    void aFileThatALocalProcessNeedsLaterIsFreeInTimeToo() {
        client.delegated("owner", READ);
        server.refuses(Nfs4Status.DELAY, other.open(FILE, "other", WRITE, 0));
        var needed = server.now;
        while (server.now - needed < LEASE - 20 * SECOND) {
            server.state.delegations().notSent(recalls().getLast());
            server.pass(SECOND);
            List.of(client, other).forEach(StateClient::renew);
        }
        var open = server.ok(other.open(OTHER_FILE, "owner", READ, 0));
        assertInstanceOf(Granted.class, other.delegate(OTHER_FILE, open, Wish.READ));
        server.ok(server.state.delegations().localConflict(FILE, server.now));
        server.ok(server.state.delegations().localConflict(OTHER_FILE, server.now));
        for (long passed = 0; passed < LOCAL_TIME; passed += SECOND) {
            assertTrue(server.leases.holds(FILE) && server.leases.holds(OTHER_FILE));
            recalls().reversed().stream().limit(2).forEach(server.state.delegations()::notSent);
            server.pass(SECOND);
        }
        server.pass(1);
        assertFalse(server.leases.holds(FILE) || server.leases.holds(OTHER_FILE));
    }

    /** What the driver tells of calls, in this order, and whether the client is to blame. */
    @ParameterizedTest
    @CsvSource({
        "'',true",
        "taken,true",
        "not taken,true",
        "not sent,false",
        "not sent;not sent,false",
        "waits,false",
        "waits;begun,false",
        "waits;begun;taken,true",
        "waits;begun;not taken,true",
        "waits;not sent,false",
        "taken;waits,true",
        "not sent;taken,true",
        "not sent;not taken,true",
        "taken;not sent,true",
        "not taken;not sent,true",
        "not taken;not sent;not sent,true",
    })
    void onlyAClientThatWasCalledIsToBlame(String ends, boolean isToBlame) {
        client.delegated("owner", READ);
        server.refuses(Nfs4Status.DELAY, other.open(FILE, "other", WRITE, 0));
        for (var each : ends.split(";")) {
            var call = recalls().getLast();
            switch (each) {
                case "waits" -> server.state.delegations().waits(call);
                case "begun" -> server.state.delegations().begun(call, server.now);
                case "taken" -> server.state.delegations().taken(call);
                case "not taken" -> server.state.delegations().notTaken(call);
                case "not sent" -> server.state.delegations().notSent(call);
                default -> assertEquals("", each);
            }
        }
        if (ends.endsWith("waits")) {
            server.state.delegations().begun(recalls().getLast(), server.now);
        }
        while (server.actions(Action.DelegationTaken.class).isEmpty()) {
            server.pass(LEASE / 2);
            List.of(client, other).forEach(StateClient::renew);
        }
        var open = server.ok(client.open(OTHER_FILE, "owner", READ, 0));
        var outcome = client.delegate(OTHER_FILE, open, Wish.READ);
        assertEquals(isToBlame, !(outcome instanceof Granted), outcome.toString());
    }
}
