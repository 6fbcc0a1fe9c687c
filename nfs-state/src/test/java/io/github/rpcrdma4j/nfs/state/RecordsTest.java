package io.github.rpcrdma4j.nfs.state;

import static io.github.rpcrdma4j.nfs.state.StateServer.FILE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.ClientName;
import io.github.rpcrdma4j.nfs.state.event.CreatedSession;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.oncrpc.share.Host;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: a client gets nothing that needs its record before the record is on storage. */
class RecordsTest {
    /** How many records of one host may be in writing or in removal. */
    private static final int OF_HOST = Records.CHANGES_MAX / 4;

    private final StateServer server = StateServer.start();

    @Test
    void aClientWithoutItsRecordDoesNotCompleteItsRecovery() {
        var client = server.stranger("client").connect();
        server.isFull = true;
        var outcome = client.reclaimComplete();
        assertFalse(outcome.isPostponed(), "it does not wait for what has failed");
        server.refuses(Nfs4Status.DELAY, outcome);
        server.refuses(Nfs4Status.GRACE, client.open(FILE, "owner", 3, 0));
        server.isFull = false;
        server.ok(client.reclaimComplete());
        assertTrue(server.hasRecord(client));
        client.open();
    }

    @Test
    void aClientThatCannotHaveItsRecordAgainOpensNothing() {
        var client = server.client("client");
        client.open();
        server.ok(server.state.revocations().client(client.id, server.now));
        server.isFull = true;
        server.refuses(Nfs4Status.DELAY, client.open(FILE, "owner", 3, 0));
        var may = client.compound(use -> server.state.mayOpen(use, false, true, server.now));
        server.refuses(Nfs4Status.DELAY, may);
        assertEquals(0, server.state.snapshots().opens(9).size());
        var other = server.stranger("other").connect();
        server.refuses(Nfs4Status.DELAY, other.reclaimComplete());
        server.isFull = false;
        server.ok(other.reclaimComplete());
        server.ok(other.open(FILE, "owner", 3, 3));
    }

    @Test
    void anEventThatWaitsForStorageGrantsNothing() {
        var client = server.stranger("client").connect();
        var use = client.begin();
        var first = server.state.reclaimComplete(use, false, server.now);
        assertTrue(first.isPostponed());
        var second = server.state.reclaimComplete(use, false, server.now);
        assertEquals(first.after(), second.after(), "the record is ordered once");
        server.run(first);
        server.ok(server.state.reclaimComplete(use, false, server.now));
        client.end(use);
    }

    /** Storage that hangs: nothing tells the state what became of the records. */
    @Test
    void fewRecordsAreOrderedAtATime() {
        for (int i = 0; i <= OF_HOST + 10; i++) {
            var client = server.stranger("client" + i).connect();
            var use = client.begin();
            var outcome = server.state.reclaimComplete(use, false, server.now);
            assertEquals(Nfs4Status.DELAY, outcome.status());
            // Each is written, and then removed.
            boolean hasRoom = i < OF_HOST / 2;
            assertEquals(hasRoom, outcome.isPostponed());
            server.ok(server.state.finish(use, null, server.now));
            var left = server.state.destroySession(client.session, null, client.sender(), 0);
            assertEquals(Nfs4Status.OK, left.status());
            left = server.state.destroyClientId(client.id, client.sender(), server.now);
            assertEquals(Nfs4Status.OK, left.status());
            assertEquals(hasRoom ? 1 : 0, forgotten(left).size());
        }
    }

    /** Returns clients with an open each, of one host, which has as many changes as it may have. */
    private StateClient busyHost() {
        var armed = new ArrayList<StateClient>();
        for (int i = 0; i <= OF_HOST; i++) {
            var client = server.client("client" + i);
            server.ok(client.open(FILE, "owner", 1, 0));
            armed.add(client);
        }
        server.isHanging = true;
        for (var each : armed.subList(0, OF_HOST)) {
            assertEquals(Nfs4Status.OK, restarted(each).status());
        }
        return armed.getLast();
    }

    private static Outcome<CreatedSession> restarted(StateClient client) {
        client.verifier++;
        client.exchangeId();
        return client.createSession(client.sequence);
    }

    @Test
    void aClientKeepsWhatItHasWhileTooManyRemovalsOfItsHostWait() {
        var last = busyHost();
        assertEquals(
                1, server.state.snapshots().opens(9).size(), "the others have lost their opens");
        var refused = restarted(last);
        assertEquals(Nfs4Status.DELAY, refused.status());
        assertEquals(0, refused.after(), "it waits for nothing");
        assertEquals(1, server.state.snapshots().opens(9).size(), "it has lost nothing");
        var neighbor = server.stranger("neighbor");
        neighbor.host = new StateServer.TestHost("another host");
        neighbor.connect();
        assertTrue(neighbor.reclaimComplete().isPostponed(), "others have room");
        server.isHanging = false;
        assertEquals(Nfs4Status.OK, restarted(last).status());
        assertEquals(0, server.state.snapshots().opens(9).size());
    }

    @Test
    void noCallHasAClientRemovedWhileTooManyRemovalsOfItsHostWait() {
        var last = busyHost();
        for (var each : List.copyOf(server.state.snapshots().opens(9))) {
            server.ok(last.close(FILE, each.id()));
        }
        server.ok(last.destroySession());
        server.refuses(Nfs4Status.DELAY, last.destroyClientId());
        var other = server.stranger("client" + OF_HOST);
        other.principal = StateServer.OTHER;
        server.refuses(Nfs4Status.DELAY, other.exchangeId(0));
        var old = new LeaseClient(server, "client" + OF_HOST);
        old.principal = StateServer.OTHER;
        server.refuses(Nfs4Status.DELAY, old.trySetClientId());
        server.isHanging = false;
        server.pass(1);
        server.ok(last.destroyClientId());
        assertEquals(Nfs4Status.OK, other.exchangeId(0).status());
    }

    private static List<Action> forgotten(Outcome<?> outcome) {
        return outcome.actions().stream().filter(Action.Forget.class::isInstance).toList();
    }

    @Test
    void aHostWhoseStorageIsBusyLeavesRecordsToOthers() {
        for (int host = 0; host < 3; host++) {
            for (int i = 0; i <= OF_HOST; i++) {
                order("evil" + host, i);
            }
        }
        assertTrue(order("honest", 0).isPostponed());
        // The others have 256, 192, 144 and 1.
        int ordered = 1;
        while (order("honest", ordered).isPostponed()) {
            ordered++;
        }
        assertEquals((Records.CHANGES_MAX - 256 - 192 - 144) / 4, ordered);
        for (int number = 1; number <= OF_HOST; number++) {
            server.state.recordChanged(number);
        }
        assertTrue(order("evil0", OF_HOST + 1).isPostponed());
    }

    /** Has a client order its record, which is not written. */
    private Outcome<Void> order(String host, int number) {
        return order(new StateServer.TestHost(host), "", number);
    }

    private Outcome<Void> order(Host host, String place, int number) {
        var client = server.stranger(host + place + number);
        client.host = host;
        client.place = place;
        client.connect();
        var use = client.begin();
        var outcome = server.state.reclaimComplete(use, false, server.now);
        client.end(use);
        return outcome;
    }

    private record Network() implements Host {
        @Override
        public boolean isNetwork() {
            return true;
        }
    }

    @Test
    void aPlaceOfANetworkLeavesRecordsToTheOthers() {
        for (int i = 0; i < OF_HOST; i++) {
            assertEquals(i < OF_HOST * 3 / 4, order(new Network(), "evil", i).isPostponed());
        }
        assertTrue(order(new Network(), "honest", 0).isPostponed());
    }

    @Test
    void aRecordThatMayBeThereIsRemovedWithItsClient() {
        var client = server.stranger("client").connect();
        var use = client.begin();
        var outcome = server.state.reclaimComplete(use, false, server.now);
        server.state.recordFailed(outcome.after(), true);
        server.refuses(Nfs4Status.DELAY, server.state.reclaimComplete(use, false, server.now));
        client.end(use);
        var session = server.state.destroySession(client.session, null, client.sender(), 0);
        assertEquals(Nfs4Status.OK, session.status());
        var left = server.state.destroyClientId(client.id, client.sender(), server.now);
        assertEquals(
                List.of(
                        new Action.Forget(
                                2, new ClientName(client.name, ""), client.sender().where(), null)),
                forgotten(left));
        assertEquals(2, left.after());
    }

    /** The caller did not wait until storage that hung has failed, so it was told DELAY before. */
    @Test
    void aFailureThatNoCallWaitedForDelaysNoOtherCall() {
        var client = server.stranger("client").connect();
        var use = client.begin();
        var outcome = server.state.reclaimComplete(use, false, server.now);
        client.end(use);
        server.state.recordFailed(outcome.after(), true);
        use = client.begin();
        var next = server.state.reclaimComplete(use, false, server.now);
        assertTrue(next.isPostponed(), "it orders the record anew");
        server.state.recordChanged(next.after());
        var repeated = server.state.reclaimComplete(use, false, server.now);
        assertEquals(Nfs4Status.OK, repeated.status());
        client.end(use);
    }

    @Test
    void twoCallsThatWaitedForARecordThatFailedOrderNoOtherOne() {
        var client = server.stranger("client").connect();
        var one = client.begin();
        var two = started(client, 1);
        var outcome = server.state.reclaimComplete(one, false, server.now);
        assertEquals(outcome.after(), server.state.reclaimComplete(two, false, server.now).after());
        server.state.recordFailed(outcome.after(), false);
        for (var each : List.of(one, two)) {
            var repeated = server.state.reclaimComplete(each, false, server.now);
            assertEquals(Nfs4Status.DELAY, repeated.status());
            assertFalse(repeated.isPostponed());
            client.end(each);
        }
    }

    private SlotUse started(StateClient client, int slot) {
        var sequenced = server.ok(client.sequence(slot, 1, false, 1));
        return assertInstanceOf(Sequenced.Started.class, sequenced).use();
    }

    /** One client leaves without state: nothing can conflict with what it had. */
    @Test
    void opensDoNotWaitForTheRecordOfAClientThatHadNothing() {
        var client = server.client("client");
        var other = server.client("other");
        server.ok(other.destroySession());
        var left = server.run(other.destroyClientId());
        assertTrue(left.after() > 0);
        var open = client.open(FILE, "owner", 3, 0);
        server.ok(open);
        assertTrue(open.after() < left.after());
    }
}
