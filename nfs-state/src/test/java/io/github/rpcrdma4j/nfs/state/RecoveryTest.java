package io.github.rpcrdma4j.nfs.state;

import static io.github.rpcrdma4j.nfs.state.StateServer.FILE;
import static io.github.rpcrdma4j.nfs.state.StateServer.LEASE;
import static io.github.rpcrdma4j.nfs.state.StateServer.OTHER;
import static io.github.rpcrdma4j.nfs.state.StateServer.OTHER_FILE;
import static io.github.rpcrdma4j.nfs.state.StateServer.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.ClientRecord;
import io.github.rpcrdma4j.nfs.state.event.LockCall;
import io.github.rpcrdma4j.nfs.state.event.LockOutcome;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.event.StateIdUse;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Goal: after a restart clients get back what they had, and no other client gets it before. */
class RecoveryTest {
    private final StateServer server = StateServer.start();
    private final StateClient client = server.client("client");
    private final StateClient other = server.client("other");

    private Outcome<StateId> reclaim(StateClient who) {
        return who.open(FILE, "owner", 3, 0, true);
    }

    private Outcome<LockOutcome> lock(StateClient who, StateId open, boolean isReclaim) {
        var from = new LockCall.NewOwner(open, StateServer.name("locker"));
        return who.lock(new LockCall(FILE, LockMode.WRITE, false, isReclaim, 0, 10, from));
    }

    private List<OpaqueName> awaited() {
        return server.state.snapshots().awaited(10).stream().map(ClientRecord::owner).toList();
    }

    @Test
    void tellsWhichClientsAreAwaitedAndWhenGraceEnds() {
        client.open();
        other.open(OTHER_FILE, "owner", 3, 0);
        assertEquals(List.of(), awaited());
        server.restart();
        assertEquals(2, awaited().size());
        assertEquals(1, server.state.snapshots().awaited(1).size());
        client.connect();
        assertEquals(List.of(other.name), awaited());
        server.ok(client.reclaimComplete());
        assertEquals(List.of(), server.actions(Action.Notice.class));
        server.pass(LEASE + SECOND);
        assertEquals(List.of(new Action.GraceEnded(1)), server.actions(Action.GraceEnded.class));
        assertEquals(List.of(), awaited());
    }

    /**
     * Goal: a client that has not reclaimed a file waits for delegations of it that may come back.
     */
    @Test
    void aFileIsFreeForItsClientAloneUntilGraceIsOver() {
        client.open();
        other.open(OTHER_FILE, "owner", 3, 0);
        server.restart();
        client.connect();
        other.connect();
        server.ok(reclaim(client));
        for (var file : List.of(FILE, OTHER_FILE)) {
            for (boolean changes : new boolean[] {false, true}) {
                var events = server.state.delegations();
                server.refuses(
                        Nfs4Status.DELAY,
                        events.requireUndelegated(null, file, changes, server.now));
                server.refuses(Nfs4Status.DELAY, other.requireUndelegated(file, changes));
            }
        }
        server.ok(client.requireUndelegated(FILE, true));
        server.refuses(Nfs4Status.DELAY, client.requireUndelegated(OTHER_FILE, false));
        // Others may have delegations for reading beside an open for reading.
        server.ok(other.open(OTHER_FILE, "owner", 1, 0, true));
        server.ok(other.requireUndelegated(OTHER_FILE, false));
        server.refuses(Nfs4Status.DELAY, other.requireUndelegated(OTHER_FILE, true));
        server.ok(client.reclaimComplete());
        server.ok(other.reclaimComplete());
        server.ok(other.requireUndelegated(FILE, true));
        server.ok(server.state.delegations().requireUndelegated(null, FILE, true, server.now));
    }

    @Test
    void noClientIsMissingIfAllAreBack() {
        client.open();
        server.restart();
        for (var each : List.of(client, other)) {
            each.connect();
            server.ok(each.reclaimComplete());
        }
        assertEquals(List.of(new Action.GraceEnded(0)), server.actions(Action.Notice.class));
    }

    /** A client of minor version 0 never says that it has reclaimed all. */
    @Test
    void aClientWithoutSessionsIsBackWhenItHasReclaimed() {
        var first = new LeaseClient(server, "first").connect();
        var second = new LeaseClient(server, "second").connect();
        server.ok(first.open("owner", 1, 0));
        server.ok(second.open("owner", 1, 0));
        client.open(OTHER_FILE, "owner", 3, 0);
        server.restart();
        server.ok(first.connect().open("owner", 1, 0, true));
        server.ok(first.open("another", 1, 0, true));
        assertEquals(List.of(), server.actions(Action.Notice.class), "only time ends it");
        server.pass(2 * LEASE);
        // The second one, and both that have sessions.
        assertEquals(List.of(new Action.GraceEnded(3)), server.actions(Action.GraceEnded.class));
    }

    /** A client that restarts gives up what it had by itself. */
    @Test
    void aRestartedClientLosesNothing() {
        client.open();
        client.verifier++;
        client.connect();
        assertEquals(List.of(), server.actions(Action.Notice.class));
    }

    /** Whether the server is in grace, and what it knows of the client. */
    enum Phase {
        /** In grace; the client has a record. */
        RETURNED,
        /** In grace; it has a record, and has completed its recovery. */
        COMPLETE,
        /** In grace; it has no record. */
        NEW,
        /** In grace; it has no record, and has completed its recovery. */
        NEW_COMPLETE,
        /** Grace is over; it has not completed its recovery. */
        LATE,
        OVER
    }

    private StateClient prepare(Phase phase) {
        client.open();
        if (phase == Phase.OVER) {
            return client;
        }
        server.restart();
        boolean isNew = phase == Phase.NEW || phase == Phase.NEW_COMPLETE;
        var who = isNew ? server.stranger("new") : client;
        if (phase == Phase.LATE) {
            server.pass(LEASE + SECOND);
        }
        who.connect();
        if (phase == Phase.COMPLETE || phase == Phase.NEW_COMPLETE) {
            server.ok(who.reclaimComplete());
        }
        assertEquals(phase != Phase.LATE, server.state.isGrace());
        return who;
    }

    /** Whole table: what the server answers in each phase. */
    @ParameterizedTest
    @CsvSource({
        "RETURNED,     OK,          GRACE, GRACE, OK",
        "COMPLETE,     NO_GRACE,    GRACE, GRACE, COMPLETE_ALREADY",
        "NEW,          RECLAIM_BAD, GRACE, GRACE, OK",
        "NEW_COMPLETE, NO_GRACE,    GRACE, GRACE, COMPLETE_ALREADY",
        "LATE,         NO_GRACE,    GRACE, OK,    OK",
        "OVER,         NO_GRACE,    OK,    OK,    COMPLETE_ALREADY",
    })
    void answersOpensInEveryPhase(
            Phase phase,
            Nfs4Status reclaim,
            Nfs4Status open,
            Nfs4Status anonymous,
            Nfs4Status complete) {
        var who = prepare(phase);
        for (boolean isReclaim : new boolean[] {true, false}) {
            var asked =
                    who.compound(use -> server.state.mayOpen(use, isReclaim, false, server.now));
            assertEquals(isReclaim ? reclaim : open, asked.status());
        }
        assertEquals(reclaim, reclaim(who).status());
        assertEquals(open, who.open(OTHER_FILE, "owner", 3, 0).status());
        for (var purpose : StateIdUse.values()) {
            var check = who.check(FILE, StateId.ANONYMOUS, purpose);
            assertEquals(anonymous, check.status());
            server.ok(who.check(FILE, StateId.READ_BYPASS, StateIdUse.READ));
        }
        assertEquals(anonymous, who.testLock("x", LockMode.READ, 0, 1).status());
        for (int time = 0; time < 2; time++) {
            // The file system alone may be complete as often as it likes.
            server.ok(who.compound(use -> server.state.reclaimComplete(use, true, server.now)));
        }
        assertEquals(complete, who.reclaimComplete().status());
        server.refuses(Nfs4Status.COMPLETE_ALREADY, who.reclaimComplete());
    }

    /** Whole table: the reclaim flag of LOCK counts, in grace and after it. */
    @Test
    void aLockIsReclaimedInGraceOnly() {
        var open = client.open();
        server.refuses(Nfs4Status.NO_GRACE, lock(client, open, true));
        server.ok(lock(client, open, false));
        server.restart();
        client.connect();
        var back = server.ok(reclaim(client));
        server.refuses(Nfs4Status.GRACE, lock(client, back, false));
        server.ok(lock(client, back, true));
        server.ok(client.reclaimComplete());
        server.refuses(Nfs4Status.NO_GRACE, lock(client, back, true));
        server.refuses(Nfs4Status.GRACE, lock(client, back, false));
        server.pass(LEASE + SECOND);
        server.refuses(Nfs4Status.NO_GRACE, lock(client, back, true));
        server.ok(lock(client, back, false));
    }

    @Test
    void aClientThatIsLateGetsNoNewLocksBeforeItsRecoveryIsComplete() {
        client.open();
        server.restart();
        client.connect();
        var back = server.ok(reclaim(client));
        server.pass(LEASE / 2);
        client.renew();
        server.pass(LEASE / 2 + SECOND);
        assertFalse(server.state.isGrace());
        server.refuses(Nfs4Status.GRACE, lock(client, back, false));
        server.ok(client.reclaimComplete());
        server.ok(lock(client, back, false));
    }

    @Test
    void conflictingReclaimsAreRefused() {
        server.restart();
        client.connect();
        other.connect();
        server.ok(client.open(FILE, "owner", 3, 2, true));
        server.refuses(Nfs4Status.RECLAIM_CONFLICT, reclaim(other));
        var one = server.ok(client.open(OTHER_FILE, "owner", 3, 0, true));
        var two = server.ok(other.open(OTHER_FILE, "owner", 3, 0, true));
        var call = new LockCall.NewOwner(one, StateServer.name("x"));
        server.ok(client.lock(new LockCall(OTHER_FILE, LockMode.WRITE, false, true, 0, 9, call)));
        call = new LockCall.NewOwner(two, StateServer.name("x"));
        server.refuses(
                Nfs4Status.RECLAIM_CONFLICT,
                other.lock(new LockCall(OTHER_FILE, LockMode.READ, false, true, 8, 9, call)));
    }

    @Test
    void withoutRecordsThereIsNoGrace() {
        assertFalse(StateServer.start().state.isGrace());
        server.ok(client.destroySession());
        server.ok(client.destroyClientId());
        server.ok(other.destroySession());
        server.ok(other.destroyClientId());
        server.restart();
        assertFalse(server.state.isGrace());
    }

    @Test
    void graceEndsWhenAllAreBack() {
        server.restart();
        client.connect();
        server.ok(client.reclaimComplete());
        assertTrue(server.state.isGrace());
        other.connect();
        server.ok(other.reclaimComplete());
        assertFalse(server.state.isGrace());
        var open = client.open(FILE, "owner", 3, 0);
        server.ok(open);
        assertEquals(new Action.ForgetEarlier(open.after()), server.actions.getLast());
        assertTrue(server.hasRecord(client) && server.hasRecord(other));
    }

    /** Goal: the client is not told DELAY once its recovery is complete: it would ask again. */
    @Test
    void theEndOfARecoveryDoesNotWaitForTheRemovalsThatItOrders() {
        server.restart();
        client.connect();
        server.ok(client.reclaimComplete());
        other.connect();
        var outcome = other.reclaimComplete();
        server.ok(outcome);
        var written = server.actions(Action.Persist.class).getLast();
        assertEquals(other.name, written.client().owner());
        assertEquals(written.number(), outcome.after());
        assertEquals(1, server.actions(Action.ForgetEarlier.class).size());
    }

    @Test
    void graceEndsWithoutThoseThatStayAway() {
        server.restart();
        client.connect();
        server.ok(client.reclaimComplete());
        server.pass(LEASE - SECOND);
        client.renew();
        server.refuses(Nfs4Status.GRACE, client.open(FILE, "owner", 3, 0));
        server.now += 2 * SECOND;
        var outcome = client.open(FILE, "owner", 3, 0);
        server.ok(outcome);
        assertTrue(outcome.after() > 0, "the reply waits until their records are gone");
        assertTrue(server.hasRecord(client));
        assertFalse(server.hasRecord(other));
    }

    @Test
    void graceIsExtendedTwiceWhileAClientReclaims() {
        server.restart();
        client.connect();
        int files = 0;
        long start = server.now;
        while (server.state.isGrace()) {
            var file = new StateServer.TestFile("file" + files++);
            server.run(client.open(file, "owner", 1, 0, true));
            server.pass(SECOND);
        }
        assertEquals(2 * LEASE / SECOND, (server.now - start) / SECOND);
        assertEquals(2 * LEASE / SECOND, server.state.snapshots().opens(1000).size());
    }

    @Test
    void oneThatReclaimedLongAgoExtendsNothing() {
        server.restart();
        client.connect();
        server.ok(reclaim(client));
        server.pass(LEASE + 1);
        assertFalse(server.state.isGrace());
        assertFalse(server.hasRecord(client), "it was not complete when grace ended");
        server.ok(client.reclaimComplete());
        assertTrue(server.hasRecord(client));
    }

    /** Half of the clients come back, and the server restarts once more. */
    @Test
    void aSecondRestartInGraceForgetsNoClient() {
        client.open();
        other.open();
        server.restart();
        client.connect();
        server.ok(reclaim(client));
        server.ok(client.reclaimComplete());
        server.restart();
        for (var each : new StateClient[] {client, other}) {
            each.connect();
            server.ok(reclaim(each));
            server.ok(each.reclaimComplete());
        }
        assertFalse(server.state.isGrace());
    }

    /** It stayed away, others may have had its locks; a second restart does not bring it back. */
    @Test
    void whoMissedAGracePeriodDoesNotReclaimInTheNext() {
        other.open();
        server.restart();
        client.connect();
        server.ok(reclaim(client));
        server.ok(client.reclaimComplete());
        server.pass(LEASE + SECOND);
        server.restart();
        other.connect();
        server.refuses(Nfs4Status.RECLAIM_BAD, reclaim(other));
    }

    @Test
    void whoLostItsStateDoesNotReclaimIt() {
        client.open();
        server.ok(server.state.revocations().client(client.id, server.now));
        server.restart();
        client.connect();
        server.refuses(Nfs4Status.RECLAIM_BAD, reclaim(client));
    }

    @Test
    void sessionsAndStateidsDoNotSurvive() {
        var open = client.open();
        server.restart();
        server.refuses(Nfs4Status.BADSESSION, client.sequence(0, 9, false, 0));
        server.refuses(Nfs4Status.STALE_CLIENTID, client.createSession(client.sequence));
        client.connect();
        server.refuses(Nfs4Status.BAD_STATEID, client.close(FILE, open));
    }

    /** Another principal with the name of one that is expected neither reclaims nor forgets. */
    @Test
    void anotherPrincipalCannotTakeTheNameOfAnExpectedClient() {
        server.restart();
        var thief = server.stranger("client");
        thief.place = client.place;
        thief.principal = OTHER;
        server.refuses(Nfs4Status.CLID_INUSE, thief.exchangeId(0));
        client.connect();
        server.ok(reclaim(client));
    }

    @Test
    void whoLeavesInGraceIsNotWaitedFor() {
        server.restart();
        client.connect();
        server.ok(client.reclaimComplete());
        other.connect();
        server.ok(other.destroySession());
        server.ok(other.destroyClientId());
        assertFalse(server.state.isGrace());
        assertFalse(server.hasRecord(other));
    }

    /**
     * A client reclaims one of two opens, and grace ends. Another one opens the second file, and
     * the server restarts: the first one must not reclaim now what it did not reclaim then.
     */
    @Test
    void whoReclaimedAPartOnlyDoesNotReclaimTheRestInTheNextGracePeriod() {
        client.open();
        server.ok(client.open(OTHER_FILE, "owner", 3, 3));
        server.restart();
        client.connect();
        other.connect();
        server.ok(reclaim(client));
        server.ok(other.reclaimComplete());
        server.pass(LEASE - SECOND);
        client.renew();
        other.renew();
        server.pass(2 * SECOND);
        var open = other.open(OTHER_FILE, "owner", 3, 0);
        server.ok(open);
        assertEquals(server.actions.getLast(), new Action.ForgetEarlier(open.after()));
        server.restart();
        client.connect();
        server.refuses(Nfs4Status.RECLAIM_BAD, client.open(OTHER_FILE, "owner", 3, 3, true));
        other.connect();
        server.ok(other.open(OTHER_FILE, "owner", 3, 0, true));
    }

    @ParameterizedTest
    @EnumSource(
            value = Phase.class,
            names = {"RETURNED", "NEW"})
    void aRecordIsWrittenBeforeTheReply(Phase phase) {
        var who = prepare(phase);
        server.actions.clear();
        if (phase == Phase.RETURNED) {
            server.ok(reclaim(who));
            assertEquals(0, server.actions.size(), "the earlier record still stands");
        }
        var outcome = who.reclaimComplete();
        server.ok(outcome);
        var written = server.actions(Action.Persist.class).getFirst();
        assertEquals(who.name, written.client().owner());
        assertTrue(outcome.after() >= written.number());
        server.pass(LEASE / 2);
        who.renew();
        server.pass(LEASE / 2 + SECOND);
        // A COMPOUND that is answered before the first one waits, too.
        var open = who.open(OTHER_FILE, "owner", 1, 0);
        server.ok(open);
        assertTrue(open.after() >= written.number());
        assertEquals(1, server.actions(Action.Persist.class).size());
    }
}
