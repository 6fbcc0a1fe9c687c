package io.github.rpcrdma4j.nfs.state;

import static io.github.rpcrdma4j.nfs.state.StateServer.FILE;
import static io.github.rpcrdma4j.nfs.state.StateServer.LEASE;
import static io.github.rpcrdma4j.nfs.state.StateServer.OTHER_FILE;
import static io.github.rpcrdma4j.nfs.state.StateServer.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.LockCall;
import io.github.rpcrdma4j.nfs.state.event.StateIdUse;
import io.github.rpcrdma4j.nfs.state.limit.StateLimits;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.state.table.StatusFlags;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Goal: every lease ends, and locks with it; the other state of an expired client goes when another
 * client needs it.
 */
class LeasesTest {
    private final StateServer server = StateServer.start();
    private final StateClient client = server.client("client");
    private final StateClient other = server.client("other");

    private Nfs4Status test(StateId id) {
        var use = client.begin();
        var status = server.state.testStateId(use, id);
        client.end(use);
        return status;
    }

    /** Lets the lease of the client expire, not that of the other. */
    private void expire() {
        server.pass(LEASE / 2);
        other.renew();
        server.pass(LEASE / 2 + SECOND);
        other.renew();
    }

    private void sends(StateClient sender, int flags) {
        assertEquals(flags, sender.renew());
    }

    @Test
    void anExpiredClientKeepsItsOpens() {
        var open = client.open();
        expire();
        assertTrue(
                server.state.snapshots().clients(9, server.now).stream()
                        .anyMatch(each -> each.isExpired() && each.clientId() == client.id));
        other.locked(other.open(), "locker", LockMode.WRITE, 10, 10);
        sends(client, 0);
        server.ok(client.close(FILE, open));
    }

    /** A process of the server's machine may need them, which the server does not see. */
    @Test
    void anExpiredClientLosesItsLocksAlone() {
        var open = client.open();
        var lock = client.locked(open, "locker", LockMode.WRITE, 0, 10);
        var unlocked = client.locked(open, "unlocked", LockMode.WRITE, 20, 10);
        unlocked = server.ok(client.unlock(unlocked, 0, -1));
        server.pass(LEASE);
        other.renew();
        assertEquals(Nfs4Status.OK, test(lock));
        server.actions.clear();
        expire();
        server.pass(SECOND);
        assertEquals(List.of(new Action.CloseLocks(FILE)), server.actions(Action.CloseLocks.class));
        assertEquals(
                List.of(new Action.StateLost(client.subject(), Action.Loss.LOCKS_EXPIRED, 1)),
                server.actions(Action.StateLost.class));
        assertFalse(server.hasRecord(client));
        sends(client, StatusFlags.EXPIRED_SOME_STATE_REVOKED);
        assertEquals(Nfs4Status.EXPIRED, test(lock));
        server.refuses(Nfs4Status.EXPIRED, client.unlock(lock, 0, 10));
        assertEquals(Nfs4Status.OK, test(unlocked));
        server.ok(client.free(lock));
        sends(client, 0);
        client.locked(open, "locker", LockMode.WRITE, 0, 10);
        server.ok(client.close(FILE, open));
    }

    /** Goal: clients with many locks do not stop all others when they fall silent together. */
    @Test
    void oneEventTakesFewLocks() {
        int ranges = 64 * 64;
        for (var each : List.of(client, other)) {
            for (int i = 0; i < ranges; i++) {
                var file = new StateServer.TestFile(each.name + " " + i / 512);
                var open = server.ok(each.open(file, "owner", 3, 0));
                var whose = new LockCall.NewOwner(open, StateServer.name("locker"));
                server.ok(
                        each.lock(
                                new LockCall(
                                        file, LockMode.WRITE, false, false, 2L * i, 1, whose)));
            }
        }
        server.pass(LEASE + SECOND);
        assertEquals(ranges, server.state.snapshots().locks(3 * ranges).size());
        server.pass(SECOND);
        assertEquals(0, server.state.snapshots().locks(3 * ranges).size());
    }

    /** The owner has the same ranges by two opens. */
    @Test
    void anExpiredClientLosesTheLocksOfAnOwnerAtAllItsOpens() {
        var locks =
                List.of(
                        client.locked(client.open(), "locker", LockMode.WRITE, 0, 10),
                        client.locked(
                                server.ok(client.open(FILE, "second", 3, 0)),
                                "locker",
                                LockMode.WRITE,
                                20,
                                10));
        expire();
        server.pass(SECOND);
        assertEquals(List.of(), server.state.snapshots().locks(9));
        for (var each : locks) {
            assertEquals(Nfs4Status.EXPIRED, test(each));
        }
        assertEquals(2, server.actions(Action.StateLost.class).getFirst().held());
    }

    /** So many leases expire at once that no event gets to that of the client. */
    @Test
    void aConflictingLockTakesTheLocksOfAnExpiredClientInACrowdToo() {
        for (int i = 0; i < 300; i++) {
            server.ok(server.client("crowd" + i).open(OTHER_FILE, "owner", 1, 0));
        }
        server.now += SECOND;
        client.locked(client.open(), "locker", LockMode.WRITE, 0, 10);
        server.now += LEASE - SECOND;
        var otherOpen = other.open();
        server.now += 2 * SECOND;
        server.actions.clear();
        var outcome = other.lock(otherOpen, "locker", LockMode.READ, 9, 1);
        server.ok(outcome);
        var removal = server.actions(Action.Forget.class).getFirst();
        assertEquals(client.name, removal.client().owner());
        assertEquals(removal.number(), outcome.after(), "the reply waits for it");
        assertEquals(
                List.of(new Action.StateLost(client.subject(), Action.Loss.LOCKS_EXPIRED, 1)),
                server.actions(Action.StateLost.class));
    }

    private List<Action.Absence> absences() {
        var gone = server.actions(Action.ClientGone.class);
        gone.forEach(each -> assertEquals(client.name, each.client().name()));
        return gone.stream().map(Action.ClientGone::why).toList();
    }

    @Test
    void theOperatorLearnsOfAClientThatFallsSilent() {
        client.open();
        server.run(server.state.connectionEnded(client.connection, server.now));
        assertEquals(List.of(Action.Absence.DISCONNECTED), absences());
        expire();
        server.pass(SECOND);
        assertEquals(List.of(Action.Absence.DISCONNECTED, Action.Absence.EXPIRED), absences());
        assertEquals(1, server.actions(Action.ClientGone.class).getLast().held());
    }

    /** One of minor version 0 cannot lose its locks alone. */
    @Test
    void theOperatorLearnsWhatASilentClientHasLeft() {
        var withoutSessions = new LeaseClient(server, "old").connect();
        withoutSessions.locked(server.ok(withoutSessions.open("owner", 3, 0)), "locker", 0, 10);
        client.locked(client.open(), "locker", LockMode.WRITE, 20, 10);
        server.actions.clear();
        expire();
        server.pass(SECOND);
        var told =
                server.actions(Action.Notice.class).stream()
                        .map(
                                each ->
                                        switch (each) {
                                            case Action.StateLost(var who, var cause, var held) ->
                                                    who.name() + " lost " + cause + " " + held;
                                            case Action.ClientGone(var who, var why, var held) ->
                                                    who.name() + " gone " + why + " " + held;
                                            default -> each.toString();
                                        })
                        .sorted()
                        .toList();
        assertEquals(
                List.of(
                        "client gone EXPIRED 1",
                        "client lost LOCKS_EXPIRED 1",
                        "old gone EXPIRED 0",
                        "old lost EXPIRED 2"),
                told);
    }

    @Test
    void theOperatorLearnsOfAClientThatLeaves() {
        server.run(server.state.connectionEnded(other.connection, server.now));
        server.actions.clear();
        server.ok(client.destroySession());
        server.ok(server.state.destroyClientId(client.id, client.sender(), server.now));
        assertEquals(List.of(Action.Absence.LEFT), absences());
    }

    /** The one that waits is told at once, not when it asks again by itself. */
    @Test
    void anExpiredClientLosesWhatAnotherWaitsFor() {
        client.locked(client.open(), "locker", LockMode.WRITE, 0, 10);
        var waiting = other.open();
        server.refuses(Nfs4Status.DENIED, other.await(waiting, "locker", LockMode.WRITE, 5, 1));
        server.pass(LEASE / 2);
        other.renew();
        assertEquals(List.of(), server.actions(Action.NotifyLock.class));
        assertTrue(server.hasRecord(client));
        server.pass(LEASE / 2 + SECOND);
        assertEquals(1, server.actions(Action.NotifyLock.class).size());
        assertFalse(server.hasRecord(client));
        int told = server.actions.indexOf(server.actions(Action.NotifyLock.class).getFirst());
        assertTrue(server.actions.indexOf(server.actions(Action.Forget.class).getFirst()) < told);
        other.locked(waiting, "locker", LockMode.WRITE, 5, 1);
        sends(client, StatusFlags.EXPIRED_SOME_STATE_REVOKED);
    }

    /** Two are in the way, and the one that has expired is found when the other one leaves. */
    @Test
    void anExpiredClientIsFoundBehindAnother() {
        client.locked(client.open(), "locker", LockMode.READ, 0, 10);
        var second = server.client("second");
        var lock = second.locked(second.open(), "locker", LockMode.READ, 0, 10);
        var waiting = other.open();
        server.refuses(Nfs4Status.DENIED, other.await(waiting, "locker", LockMode.WRITE, 5, 1));
        server.pass(LEASE / 2);
        other.renew();
        second.renew();
        server.pass(LEASE / 2 + SECOND);
        other.renew();
        server.ok(second.unlock(lock, 0, -1));
        server.pass(SECOND);
        assertEquals(1, server.actions(Action.NotifyLock.class).size());
        other.locked(waiting, "locker", LockMode.WRITE, 5, 1);
    }

    @Test
    void aConflictingOpenTakesAllStateOfAnExpiredClient() {
        var open = server.ok(client.open(FILE, "owner", 1, 1));
        var elsewhere = server.ok(client.open(OTHER_FILE, "owner", 1, 0));
        expire();
        assertTrue(server.hasRecord(client));
        server.actions.clear();
        var outcome = other.open(FILE, "owner", 1, 0);
        server.ok(outcome);
        var removal = server.actions(Action.Forget.class).getFirst();
        assertEquals(client.name, removal.client().owner());
        assertEquals(removal.number(), outcome.after(), "the reply waits for it");
        // What another event grants before it is on storage, waits as well.
        assertEquals(removal.number(), other.open(OTHER_FILE, "o", 2, 0).after());
        sends(client, StatusFlags.EXPIRED_ALL_STATE_REVOKED);
        for (var id : List.of(open, elsewhere)) {
            assertEquals(Nfs4Status.EXPIRED, test(id));
        }
        server.refuses(Nfs4Status.EXPIRED, client.close(FILE, open));
        server.refuses(Nfs4Status.EXPIRED, client.check(FILE, open, StateIdUse.READ));
        server.refuses(Nfs4Status.EXPIRED, client.lock(open, "x", LockMode.READ, 50, 1));
        assertFalse(server.hasRecord(client));
        // It goes on with new opens, and is recorded again.
        var again = client.open();
        assertTrue(server.hasRecord(client));
        sends(client, StatusFlags.EXPIRED_SOME_STATE_REVOKED);
        for (var id : List.of(open, elsewhere)) {
            server.ok(client.free(id));
            assertEquals(Nfs4Status.BAD_STATEID, test(id));
        }
        sends(client, 0);
        server.ok(client.close(FILE, again));
    }

    /** Two expired clients are in the way; both have to go. */
    @Test
    void aConflictingOpenTakesTheStateOfAllExpiredClients() {
        server.ok(client.open(FILE, "owner", 2, 1));
        var third = server.client("third");
        server.ok(third.open(FILE, "owner", 2, 1));
        expire();
        server.ok(other.open(FILE, "owner", 1, 0));
        sends(client, StatusFlags.EXPIRED_ALL_STATE_REVOKED);
        sends(third, StatusFlags.EXPIRED_ALL_STATE_REVOKED);
    }

    @Test
    void anExpiredClientStaysIfALivingOneIsInTheWayAsWell() {
        server.ok(client.open(FILE, "owner", 2, 1));
        var third = server.client("third");
        server.ok(third.open(FILE, "owner", 2, 1));
        server.pass(LEASE / 2);
        third.renew();
        expire();
        third.renew();
        server.refuses(Nfs4Status.SHARE_DENIED, other.open(FILE, "owner", 1, 0));
        sends(client, 0);
    }

    @Test
    void aLivingClientIsNotTouched() {
        var open = client.open();
        client.locked(open, "locker", LockMode.WRITE, 0, 10);
        for (int i = 0; i < 20; i++) {
            server.pass(LEASE - SECOND);
            client.renew();
            other.renew();
        }
        server.refuses(Nfs4Status.DENIED, other.lock(other.open(), "x", LockMode.READ, 0, 1));
    }

    @Test
    void aLongCompoundKeepsItsLease() {
        client.open();
        var use = client.begin();
        expire();
        server.refuses(Nfs4Status.SHARE_DENIED, other.open(FILE, "owner", 1, 3));
        client.end(use);
        server.pass(LEASE - SECOND);
        other.renew();
        server.refuses(Nfs4Status.SHARE_DENIED, other.open(FILE, "owner", 1, 3));
        server.pass(2 * SECOND);
        server.ok(other.open(FILE, "owner", 1, 3));
    }

    /** Its client may be gone, and others need what it had. */
    @Test
    void aCompoundThatHangsKeepsItsLeaseForOneMore() {
        var lock = client.locked(client.open(), "locker", LockMode.WRITE, 0, 10);
        var use = client.begin();
        expire();
        server.pass(LEASE - 2 * SECOND);
        other.renew();
        assertEquals(1, server.state.snapshots().locks(9).size());
        server.pass(2 * SECOND);
        assertEquals(List.of(), server.state.snapshots().locks(9));
        assertFalse(server.hasRecord(client));
        other.locked(other.open(), "x", LockMode.WRITE, 0, 10);
        client.end(use);
        sends(client, StatusFlags.EXPIRED_SOME_STATE_REVOKED);
        assertEquals(Nfs4Status.EXPIRED, test(lock));
    }

    /** So many leases expire at once that no event gets to that of the client. */
    @Test
    void aLongCompoundKeepsItsLeaseInACrowd() {
        for (int i = 0; i < 300; i++) {
            server.ok(server.client("crowd" + i).open(OTHER_FILE, "owner", 1, 0));
        }
        server.now += SECOND;
        client.open();
        var use = client.begin();
        server.now += LEASE - SECOND;
        other.renew();
        server.now += 2 * SECOND;
        server.refuses(Nfs4Status.SHARE_DENIED, other.open(FILE, "owner", 1, 3));
        client.end(use);
    }

    @Test
    void anExpiredClientWithoutStateIsRemoved() {
        assertTrue(server.hasRecord(client));
        expire();
        server.refuses(Nfs4Status.BADSESSION, client.sequence(0, 9, false, 0));
        server.refuses(Nfs4Status.STALE_CLIENTID, client.createSession(client.sequence));
        assertFalse(server.hasRecord(client));
    }

    @Test
    void courtesyEndsAfterALongTime() {
        client.open();
        expire();
        server.pass(StateLimits.DEFAULTS.courtesyNanos() - LEASE);
        assertTrue(server.hasRecord(client));
        server.pass(LEASE);
        server.refuses(Nfs4Status.BADSESSION, client.sequence(0, 9, false, 0));
        assertFalse(server.hasRecord(client));
        assertEquals(
                List.of(new Action.StateLost(client.subject(), Action.Loss.EXPIRED, 1)),
                server.actions(Action.StateLost.class));
        assertEquals(1, server.actions(Action.CloseFile.class).size());
    }

    @Test
    void anAdministratorTakesAllState() {
        var open = client.open();
        var lock = client.locked(open, "locker", LockMode.WRITE, 0, 10);
        server.refuses(
                Nfs4Status.NOENT, server.state.revocations().client(client.id + 1, server.now));
        server.ok(server.state.revocations().client(client.id, server.now));
        assertFalse(server.hasRecord(client));
        assertEquals(
                List.of(new Action.StateLost(client.subject(), Action.Loss.ENDED, 2)),
                server.actions(Action.Notice.class));
        sends(client, StatusFlags.ADMIN_STATE_REVOKED);
        server.refuses(Nfs4Status.ADMIN_REVOKED, client.unlock(lock, 0, 10));
        other.locked(other.open(), "locker", LockMode.WRITE, 0, 10);
        server.ok(client.free(open));
        sends(client, StatusFlags.ADMIN_STATE_REVOKED);
        server.ok(client.free(lock));
        sends(client, 0);
    }

    @Test
    void administratorsSeeWhatThereIs() {
        var open = client.open();
        client.locked(open, "locker", LockMode.WRITE, 0, 10);
        client.locked(open, "locker", LockMode.READ, 20, 10);
        var status = server.state.snapshots().clients(1, server.now).getFirst();
        assertEquals(client.name, status.name());
        assertEquals(2, status.states());
        assertEquals(2, status.ranges());
        assertEquals(1, status.sessions());
        assertTrue(status.isConfirmed() && status.isRecorded() && status.reclaimComplete());
        assertEquals(2, server.state.snapshots().clients(9, server.now).size());
        assertEquals(1, server.state.snapshots().sessions(1).size());
        assertEquals(open, server.state.snapshots().opens(9).getFirst().id());
        assertEquals(2, server.state.snapshots().locks(9).size());
        assertEquals(1, server.state.snapshots().locks(1).size());
        assertEquals(FILE, server.state.snapshots().locks(1).getFirst().file());
    }
}
