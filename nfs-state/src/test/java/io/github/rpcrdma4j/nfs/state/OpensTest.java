package io.github.rpcrdma4j.nfs.state;

import static io.github.rpcrdma4j.nfs.state.StateServer.FILE;
import static io.github.rpcrdma4j.nfs.state.StateServer.LEASE;
import static io.github.rpcrdma4j.nfs.state.StateServer.OTHER_FILE;
import static io.github.rpcrdma4j.nfs.state.StateServer.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.LockCall;
import io.github.rpcrdma4j.nfs.state.event.Protection;
import io.github.rpcrdma4j.nfs.state.event.StateIdUse;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Goal: opens keep to share reservations, and stateids stand for what their owner opened. */
class OpensTest {
    private final StateServer server = StateServer.start();
    private final StateClient client = server.client("client");
    private final StateClient other = server.client("other");

    /** Whole table: access and deny of two opens, by two clients or by two owners of one. */
    @Test
    void refusesExactlyTheOpensThatConflict() {
        int refused = 0;
        for (int pair = 0; pair < 2 * 3 * 4 * 3 * 4; pair++) {
            int access = 1 + pair % 3;
            int deny = pair / 3 % 4;
            int secondAccess = 1 + pair / 12 % 3;
            int secondDeny = pair / 36 % 4;
            var second = pair < 144 ? other : client;
            var first = server.ok(client.open(FILE, "owner", access, deny));
            var outcome = second.open(FILE, "second", secondAccess, secondDeny);
            if ((secondAccess & deny) != 0 || (secondDeny & access) != 0) {
                server.refuses(Nfs4Status.SHARE_DENIED, outcome);
                refused++;
            } else {
                server.ok(second.close(FILE, server.ok(outcome)));
            }
            server.ok(client.close(FILE, first));
            assertEquals(0, server.state.snapshots().opens(9).size());
        }
        assertTrue(refused > 100 && refused < 288);
    }

    @Test
    void anOwnersSecondOpenWidensTheFirst() {
        var first = server.ok(client.open(FILE, "owner", 2, 0));
        assertEquals(1, first.sequence());
        var second = server.ok(client.open(FILE, "owner", 1, 1));
        assertEquals(first.withSequence(2), second);
        server.refuses(Nfs4Status.SHARE_DENIED, other.open(FILE, "owner", 1, 0));
        server.refuses(Nfs4Status.SHARE_DENIED, other.open(FILE, "owner", 2, 2));
        server.ok(other.open(FILE, "owner", 2, 0));
        assertEquals(2, server.state.snapshots().opens(9).size());
        // Its own denials do not stop an owner; the other's access does.
        server.ok(client.open(FILE, "owner", 1, 1));
        server.refuses(Nfs4Status.SHARE_DENIED, client.open(FILE, "owner", 1, 2));
        assertEquals(StateId.INVALID, server.ok(client.close(FILE, first.withSequence(3))));
        server.refuses(Nfs4Status.BAD_STATEID, client.close(FILE, first.withSequence(3)));
    }

    @Test
    void anOpenIsTakenBackWithAllThatItAdded() {
        client.takeBack(FILE, server.ok(client.open(FILE, "owner", 3, 3)));
        assertEquals(List.of(new Action.CloseFile(FILE)), server.actions(Action.CloseFile.class));
        var first = server.ok(client.open(FILE, "owner", 1, 0));
        var wider = server.ok(client.open(FILE, "owner", 2, 2));
        server.refuses(Nfs4Status.SHARE_DENIED, other.open(FILE, "owner", 2, 0));
        client.takeBack(FILE, wider);
        server.ok(other.open(FILE, "owner", 2, 0));
        server.refuses(Nfs4Status.OPENMODE, client.check(FILE, first, StateIdUse.WRITE));
        server.refuses(Nfs4Status.INVAL, client.downgrade(FILE, first, 3, 2));
        // It is taken back only once.
        client.takeBack(FILE, first);
        assertEquals(first.withSequence(2), server.ok(client.open(FILE, "owner", 1, 0)));
    }

    @Test
    void anOpenThatWasWidenedMeanwhileIsNotTakenBack() {
        var first = server.ok(client.open(FILE, "owner", 1, 0));
        var second = server.ok(client.open(FILE, "owner", 2, 0));
        client.takeBack(FILE, first);
        server.ok(client.check(FILE, second, StateIdUse.WRITE));
        var narrowed = server.ok(client.downgrade(FILE, second, 1, 0));
        client.takeBack(FILE, narrowed);
        server.ok(client.check(FILE, narrowed, StateIdUse.READ));
        server.refuses(Nfs4Status.OPENMODE, client.check(FILE, narrowed, StateIdUse.WRITE));
    }

    /** Whole table for an owner that opened with 1/0, 2/1 and 2/0 (access/deny). */
    @Test
    void downgradesToUnionsOfOpensOnly() {
        var granted = List.of("1/0", "2/0", "2/1", "3/0", "3/1");
        for (int access = -1; access <= 4; access++) {
            for (int deny = -1; deny <= 4; deny++) {
                server.ok(client.open(FILE, "owner", 1, 0));
                server.ok(client.open(FILE, "owner", 2, 1));
                var open = server.ok(client.open(FILE, "owner", 2, 0));
                var outcome = client.downgrade(FILE, open, access, deny);
                if (granted.contains(access + "/" + deny)) {
                    assertEquals(open.withSequence(4), server.ok(outcome));
                    var status = server.state.snapshots().opens(1).getFirst();
                    assertEquals(access + "/" + deny, status.access() + "/" + status.deny());
                } else {
                    server.refuses(Nfs4Status.INVAL, outcome);
                }
                server.ok(client.close(FILE, open.withSequence(0)));
            }
        }
    }

    @Test
    void aDowngradeIsFinal() {
        server.ok(client.open(FILE, "owner", 1, 0));
        var open = server.ok(client.open(FILE, "owner", 2, 2));
        server.refuses(Nfs4Status.SHARE_DENIED, other.open(FILE, "owner", 2, 0));
        var narrowed = server.ok(client.downgrade(FILE, open, 1, 0));
        server.ok(other.open(FILE, "owner", 2, 0));
        server.refuses(Nfs4Status.INVAL, client.downgrade(FILE, narrowed, 2, 2));
        server.refuses(Nfs4Status.INVAL, client.downgrade(FILE, narrowed, 3, 2));
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "4, 0", "-1, 0", "1, 4", "1, -1", "5, 0"})
    void refusesBitsThatOpensDoNotHave(int access, int deny) {
        server.refuses(Nfs4Status.INVAL, client.open(FILE, "owner", access, deny));
    }

    /** Whole table: each kind of stateid at each operation. */
    @Test
    void answersEveryStateidAtEveryOperation() {
        var open = client.open();
        open = server.ok(client.open(FILE, "owner", 3, 0));
        var elsewhere = server.ok(client.open(OTHER_FILE, "owner", 3, 0));
        var foreign = other.open();
        var lock = client.locked(open, "locker", LockMode.READ, 0, 1);
        var closed = server.ok(client.open(FILE, "closed", 1, 0));
        server.ok(client.close(FILE, closed));
        var ids = new TreeMap<String, StateId>();
        ids.put("closed", closed);
        ids.put("current", StateId.CURRENT);
        ids.put("earlier boot", new StateId(2, open.upper() - (1L << 32), open.lower()));
        ids.put("foreign", foreign);
        ids.put("invalid", StateId.INVALID);
        ids.put("newer", open.withSequence(3));
        ids.put("old", open.withSequence(1));
        ids.put("other file", elsewhere);
        ids.put("unknown", new StateId(1, open.upper(), 77));
        ids.put("zero with sequence", new StateId(5, 0, 0));
        ids.put("ones with sequence", new StateId(5, -1, -1));
        for (var each : ids.entrySet()) {
            var id = each.getValue();
            var expected =
                    each.getKey().equals("old") ? Nfs4Status.OLD_STATEID : Nfs4Status.BAD_STATEID;
            var from = new LockCall.KnownOwner(id);
            var call = new LockCall(FILE, LockMode.READ, false, false, 0, 1, from);
            var outcomes =
                    Map.of(
                            "CLOSE", client.close(FILE, id),
                            "OPEN_DOWNGRADE", client.downgrade(FILE, id, 1, 0),
                            "READ", client.check(FILE, id, StateIdUse.READ),
                            "WRITE", client.check(FILE, id, StateIdUse.WRITE),
                            "SETATTR", client.check(FILE, id, StateIdUse.RESIZE),
                            "LOCK of an open", client.lock(id, "new", LockMode.READ, 0, 1),
                            "LOCK of a lock", client.lock(call),
                            "LOCKU", client.unlock(id, 0, 1));
            outcomes.forEach(
                    (operation, outcome) ->
                            assertEquals(
                                    expected,
                                    outcome.status(),
                                    each.getKey() + " at " + operation));
            boolean isOfNoFile = each.getKey().equals("other file");
            var tested = client.begin();
            assertEquals(
                    isOfNoFile ? Nfs4Status.OK : expected,
                    server.state.testStateId(tested, id),
                    each.getKey());
            client.end(tested);
            server.refuses(isOfNoFile ? Nfs4Status.LOCKS_HELD : expected, client.free(id));
        }
        // A lock is no open, and an open no lock.
        server.refuses(Nfs4Status.BAD_STATEID, client.close(FILE, lock));
        server.refuses(Nfs4Status.BAD_STATEID, client.downgrade(FILE, lock, 1, 0));
        server.refuses(Nfs4Status.BAD_STATEID, client.lock(lock, "x", LockMode.READ, 0, 1));
        server.refuses(Nfs4Status.BAD_STATEID, client.unlock(open, 0, 1));
        assertEquals(
                3 + 1,
                server.state.snapshots().opens(9).size()
                        + server.state.snapshots().locks(9).size());
        server.ok(client.check(FILE, lock, StateIdUse.WRITE));
    }

    /** Whole table: the access of an open, and the use. */
    @ParameterizedTest
    @CsvSource({
        "1, READ, OK", "1, WRITE, OPENMODE", "1, RESIZE, OPENMODE",
        "2, READ, OK", "2, WRITE, OK", "2, RESIZE, OK",
        "3, READ, OK", "3, WRITE, OK", "3, RESIZE, OK",
    })
    void anOpenIsForItsAccess(int access, StateIdUse use, Nfs4Status expected) {
        var open = server.ok(client.open(FILE, "owner", access, 0));
        for (var id : List.of(open, open.withSequence(0))) {
            assertEquals(expected, client.check(FILE, id, use).status());
        }
    }

    /** Whole table: what another denies, and the use, with both special stateids. */
    @ParameterizedTest
    @EnumSource(StateIdUse.class)
    void specialStateidsKeepToDenials(StateIdUse use) {
        for (int deny = 0; deny < 4; deny++) {
            var open = server.ok(other.open(FILE, "owner", 3, deny));
            boolean isDenied = (deny & (use == StateIdUse.READ ? 1 : 2)) != 0;
            var anonymous = client.check(FILE, StateId.ANONYMOUS, use);
            var bypass = client.check(FILE, StateId.READ_BYPASS, use);
            assertEquals(isDenied ? Nfs4Status.LOCKED : Nfs4Status.OK, anonymous.status());
            assertEquals(
                    isDenied && use != StateIdUse.READ ? Nfs4Status.LOCKED : Nfs4Status.OK,
                    bypass.status());
            server.ok(other.close(FILE, open));
        }
        server.ok(client.check(OTHER_FILE, StateId.ANONYMOUS, use));
    }

    @Test
    void specialStateidsTakeDenialsFromExpiredClients() {
        server.ok(other.open(FILE, "owner", 3, 3));
        server.pass(LEASE - SECOND);
        client.renew();
        server.pass(2 * SECOND);
        assertTrue(server.hasRecord(other));
        server.ok(client.check(FILE, StateId.ANONYMOUS, StateIdUse.READ));
        assertTrue(!server.hasRecord(other));
    }

    @Test
    void closesAFileWithItsLastOpen() {
        var first = client.open();
        var second = other.open();
        server.ok(client.close(FILE, first));
        assertEquals(List.of(), server.actions(Action.CloseFile.class));
        server.ok(other.close(FILE, second));
        assertEquals(List.of(new Action.CloseFile(FILE)), server.actions(Action.CloseFile.class));
    }

    @Test
    void aClosedOpenTakesItsLocksAlong() {
        var open = client.open();
        var lock = client.locked(open, "locker", LockMode.WRITE, 0, -1);
        server.ok(client.close(FILE, open));
        server.refuses(Nfs4Status.BAD_STATEID, client.unlock(lock, 0, -1));
        other.locked(other.open(), "locker", LockMode.WRITE, 0, -1);
    }

    @Test
    void stateidsAreNotGivenTwice() {
        var first = client.open();
        server.ok(client.close(FILE, first));
        assertNotEquals(first, client.open());
    }

    @Test
    void sequencesOfStateidsSkipZero() {
        var name = new ClientOwner(1, client.name);
        var sender = client.sender();
        var place = new PlaceCounts(new HostCounts(sender.host()), sender.place());
        var owner = new Client(1, 1, true, name, null, sender, Protection.NONE, place, 0);
        var open = new Open(owner, new OpenFile(FILE), 1, client.name);
        var ids = new StateIds(1, StateServer.KEY);
        open.sequence = -1;
        var before = ids.of(open);
        owner.states.put(1, open);
        open.change();
        assertEquals(1, ids.of(open).sequence());
        assertEquals(Nfs4Status.OLD_STATEID, ids.find(owner, before).status());
    }
}
