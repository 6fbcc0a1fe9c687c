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
import io.github.rpcrdma4j.nfs.state.event.DelegationOutcome;
import io.github.rpcrdma4j.nfs.state.event.DelegationOutcome.Granted;
import io.github.rpcrdma4j.nfs.state.event.DelegationOutcome.Refused;
import io.github.rpcrdma4j.nfs.state.event.DelegationOutcome.Why;
import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.state.table.Recent;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: who does not return delegations lets others wait for one lease in an hour at most, and not
 * again and again.
 */
class LostDelegationsTest {
    private static final int READ = 1;
    private static final int WRITE = 2;
    private static final long PENALTY = 3600 * SECOND;

    private final StateServer server = StateServer.start();
    private final StateClient client = server.client("client").answering();
    private final StateClient other = server.client("other", "elsewhere").answering();
    private final List<StateClient> all = new ArrayList<>(List.of(client, other));
    private int owners;

    private DelegationOutcome delegation(StateClient of, FileKey file) {
        var open = server.ok(of.open(file, "owner" + owners++, READ, 0));
        var outcome = of.delegate(file, open, Wish.READ);
        server.ok(of.close(file, open));
        return outcome;
    }

    private void pass(long nanos) {
        for (long left = nanos; left > 0; left -= LEASE / 2) {
            server.pass(Math.min(left, LEASE / 2));
            all.forEach(StateClient::renew);
        }
    }

    @Test
    void theClientsOfItsPlaceGetNoneForAnHour() {
        assertInstanceOf(Granted.class, delegation(client, FILE));
        server.refuses(Nfs4Status.DELAY, other.open(FILE, "other", WRITE, 0));
        pass(LEASE);
        assertInstanceOf(Granted.class, delegation(client, OTHER_FILE));
        server.pass(1);
        assertEquals(1, server.actions(Action.DelegationTaken.class).size());
        var third = new StateServer.TestFile("third");
        assertEquals(new Refused(Why.RESOURCE), delegation(client, third));
        // A client gets a new name easily.
        var neighbour = server.client("neighbour").answering();
        assertEquals(new Refused(Why.RESOURCE), delegation(neighbour, third));
        assertInstanceOf(Granted.class, delegation(other, third));
        var apart = server.client("apart", "host", "host, port of a user").answering();
        assertInstanceOf(Granted.class, delegation(apart, third));
        var fourth = new StateServer.TestFile("fourth");
        pass(PENALTY);
        assertEquals(new Refused(Why.RESOURCE), delegation(client, fourth));
        server.pass(1);
        assertInstanceOf(Granted.class, delegation(client, fourth));
    }

    /** The client may hold changes that it made under it. */
    @Test
    void theClientsOfItsPlaceReclaimNevertheless() {
        delegation(client, FILE);
        var neighbour = server.client("neighbour").answering();
        delegation(neighbour, OTHER_FILE);
        server.restart();
        client.connect();
        reclaim(client, FILE);
        server.ok(server.state.delegations().localConflict(FILE, server.now));
        server.pass(LOCAL_TIME + 1);
        assertEquals(1, server.actions(Action.DelegationTaken.class).size());
        neighbour.connect();
        reclaim(neighbour, OTHER_FILE);
    }

    private void reclaim(StateClient of, FileKey file) {
        var open = server.ok(of.open(file, "owner", READ, 0, true));
        assertInstanceOf(Granted.class, of.delegate(file, open, Wish.READ, true));
    }

    private FileKey file(int number) {
        return new StateServer.TestFile("file" + number);
    }

    private StateId granted(StateClient of, FileKey file) {
        return assertInstanceOf(Granted.class, delegation(of, file)).stateId();
    }

    private List<FileKey> recalled() {
        return server.actions(Action.Recall.class).stream().map(Action.Recall::file).toList();
    }

    private int taken() {
        return server.actions(Action.DelegationTaken.class).size();
    }

    /** Else each of its files would cost others a lease, one after the other. */
    @Test
    void whoLosesOneReturnsAllOrLosesThoseThatOthersNeed() {
        var neighbour = server.client("neighbour").answering();
        var apart = server.client("apart", "host", "apart").answering();
        all.addAll(List.of(neighbour, apart));
        var held = new HashMap<FileKey, StateId>();
        for (int i = 0; i < 300; i++) {
            held.put(file(i), granted(i % 2 == 0 ? client : neighbour, file(i)));
        }
        granted(apart, OTHER_FILE);
        server.refuses(Nfs4Status.DELAY, other.open(file(0), "other", WRITE, 0));
        pass(LEASE);
        assertEquals(List.of(file(0)), recalled());
        server.pass(1);
        assertEquals(1, taken());
        server.pass(SECOND);
        server.pass(SECOND);
        assertEquals(held.keySet(), Set.copyOf(recalled()));
        assertEquals(300, recalled().size());
        server.ok(client.returnDelegation(file(2), held.get(file(2))));
        pass(LEASE);
        pass(LEASE);
        assertEquals(1, taken(), "nobody needs the other ones");
        for (var each : held.keySet()) {
            server.ok(other.open(each, "other", WRITE, 0));
        }
        assertEquals(299, taken());
        server.refuses(Nfs4Status.DELAY, other.open(OTHER_FILE, "other", WRITE, 0));
    }

    /** What others need after the client was called for its place: it has a lease in all. */
    @Test
    void whoIsRecalledForItsPlaceHasALease() {
        granted(client, FILE);
        granted(client, OTHER_FILE);
        server.refuses(Nfs4Status.DELAY, other.open(FILE, "other", WRITE, 0));
        pass(LEASE + 1);
        server.pass(SECOND);
        assertEquals(List.of(FILE, OTHER_FILE), recalled());
        pass(LEASE - SECOND);
        server.refuses(Nfs4Status.DELAY, other.open(OTHER_FILE, "other", WRITE, 0));
        pass(SECOND + 1);
        assertEquals(2, taken());
        server.ok(other.open(OTHER_FILE, "other", WRITE, 0));
    }

    /** How long it takes to return each, and how many it may return so. */
    @ParameterizedTest
    @CsvSource({
        "0,1000",
        "100,1000",
        "350,40",
        "600,20",
        "1100,10",
        "5100,2",
        "10100,1",
        "10101,0",
        "60000,0",
    })
    void whoReturnsThemLateGetsNoneForAnHour(long millis, int free) {
        for (int i = 0; i <= free && i < 1000; i++) {
            var delegation = granted(client, file(i));
            server.refuses(Nfs4Status.DELAY, other.open(file(i), "other", WRITE, 0));
            server.now += millis * SECOND / 1000;
            server.ok(client.returnDelegation(file(i), delegation));
            server.ok(other.close(file(i), server.ok(other.open(file(i), "other", WRITE, 0))));
            other.renew();
        }
        boolean isLate = free < 1000;
        assertEquals(isLate ? 1 : 0, server.actions(Action.LongWaits.class).size());
        assertEquals(!isLate, delegation(client, FILE) instanceof Granted);
        assertEquals(
                !isLate,
                delegation(server.client("neighbour").answering(), FILE) instanceof Granted);
        assertInstanceOf(Granted.class, delegation(other, OTHER_FILE));
        pass(PENALTY + 1);
        assertInstanceOf(Granted.class, delegation(client, file(1001)));
    }

    /** A restart of the client ends all that it had: it is not counted less for that. */
    @Test
    void whoRestartsInsteadGetsNoneEither() {
        granted(client, FILE);
        server.refuses(Nfs4Status.DELAY, other.open(FILE, "other", WRITE, 0));
        server.pass(11 * SECOND);
        client.verifier++;
        client.connect();
        server.ok(client.reclaimComplete());
        client.answering();
        server.ok(other.open(FILE, "other", WRITE, 0));
        assertEquals(new Refused(Why.RESOURCE), delegation(client, OTHER_FILE));
    }

    /**
     * Whole table: what kept the call back for eleven seconds, and whether the client is to blame.
     */
    @Test
    void whatTheServerCouldNotSendIsNotCounted() {
        for (boolean isForWantOfRoom : new boolean[] {false, true}) {
            var one = new LostDelegationsTest();
            var delegation = one.granted(one.client, FILE);
            one.server.refuses(Nfs4Status.DELAY, one.other.open(FILE, "other", WRITE, 0));
            for (int seconds = 0; seconds < 11; seconds++) {
                var call = one.server.actions(Action.Recall.class).getLast();
                if (isForWantOfRoom) {
                    one.server.state.delegations().notSent(call);
                } else {
                    one.server.state.delegations().noSlot(call);
                }
                one.server.pass(SECOND);
            }
            one.server.ok(one.client.returnDelegation(FILE, delegation));
            boolean isGranted = one.delegation(one.client, OTHER_FILE) instanceof Granted;
            assertEquals(isForWantOfRoom, isGranted);
        }
    }

    /**
     * Else a client with many files delegated would let others wait for each, for a lease less a
     * bit.
     */
    @Test
    void whoReturnsThemLateAgainAndAgainReturnsAll() {
        var held = new HashMap<FileKey, StateId>();
        for (int i = 0; i < 10; i++) {
            held.put(file(i), granted(client, file(i)));
        }
        for (int i = 0; i < 2; i++) {
            assertEquals(i, recalled().size());
            server.refuses(Nfs4Status.DELAY, other.open(file(i), "other", WRITE, 0));
            pass(LEASE - SECOND);
            server.ok(client.returnDelegation(file(i), held.get(file(i))));
        }
        server.pass(SECOND);
        assertEquals(10, recalled().size());
        assertEquals(0, taken());
    }

    /** Many that cannot be reached come before it. */
    @Test
    void eachClientIsCalledAgain() {
        for (int i = 0; i < 200; i++) {
            granted(client, file(i));
            server.refuses(Nfs4Status.DELAY, other.open(file(i), "other", WRITE, 0));
        }
        for (int seconds = 0; seconds < 12; seconds++) {
            server.actions(Action.Recall.class).stream()
                    .skip(Math.max(0, recalled().size() - 200))
                    .forEach(server.state.delegations()::notTaken);
            server.pass(SECOND);
        }
        var calls = new HashMap<FileKey, Integer>();
        recalled().forEach(each -> calls.merge(each, 1, Integer::sum));
        assertEquals(200, calls.size());
        assertTrue(calls.values().stream().allMatch(each -> each >= 3), calls.toString());
    }

    /** Whole table: how much later, of how many that have come since. */
    @Test
    void whatIsRecentIsKnownAndNotTooMuch() {
        for (long later = 0; later <= 12; later++) {
            for (int more = 0; more <= 4; more++) {
                // The clock of the server may wrap around.
                long now = Long.MAX_VALUE - 5;
                var recent = new Recent<Integer>(10, 3);
                recent.add(0, now);
                for (int i = 1; i <= more; i++) {
                    recent.add(i, now + later);
                }
                boolean isKnown = recent.has(0, now + later);
                assertEquals(later <= 10 && more < 3, isKnown, later + " later, " + more);
                assertFalse(recent.has(99, now + later));
                assertTrue(more == 0 || recent.has(more, now + later));
            }
        }
        var recent = new Recent<Integer>(10, 3);
        recent.add(0, 0);
        recent.add(0, 10);
        assertTrue(recent.has(0, 20), "it has happened again");
    }
}
