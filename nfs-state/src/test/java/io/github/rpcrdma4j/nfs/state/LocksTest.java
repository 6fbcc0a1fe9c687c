package io.github.rpcrdma4j.nfs.state;

import static io.github.rpcrdma4j.nfs.state.StateServer.FILE;
import static io.github.rpcrdma4j.nfs.state.StateServer.name;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.LockCall;
import io.github.rpcrdma4j.nfs.state.event.LockOutcome;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.event.StateIdUse;
import io.github.rpcrdma4j.nfs.state.range.ByteRange;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.state.range.RangeLock;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: byte-range locks exclude each other, and belong to their owners only. */
class LocksTest {
    private final StateServer server = StateServer.start();
    private final StateClient client = server.client("client");
    private final StateClient other = server.client("other");
    private final StateId open = client.open();
    private final StateId otherOpen = other.open();

    private void denies(StateClient holder, String owner, Outcome<LockOutcome> outcome) {
        server.refuses(Nfs4Status.DENIED, outcome);
        var denied = assertInstanceOf(LockOutcome.Denied.class, outcome.value());
        assertEquals(new StateOwner(holder.id, name(owner)), denied.conflict().owner());
    }

    /** Goal: a range takes little memory, however long the name of its owner is. */
    @Test
    void theRangesOfAnOwnerShareItsName() {
        for (int i = 0; i < 3; i++) {
            client.locked(open, "locker", LockMode.WRITE, 2L * i, 1);
        }
        var locks = server.state.snapshots().locks(9);
        assertEquals(3, locks.size());
        for (var each : locks) {
            assertSame(locks.getFirst().lock().owner(), each.lock().owner());
        }
    }

    /** Whole table: the two types, and whether the owners are one. */
    @ParameterizedTest
    @CsvSource({
        "READ,  READ,  OTHER_CLIENT, true",
        "READ,  WRITE, OTHER_CLIENT, false",
        "WRITE, READ,  OTHER_CLIENT, false",
        "WRITE, WRITE, OTHER_CLIENT, false",
        "READ,  READ,  OTHER_OWNER,  true",
        "READ,  WRITE, OTHER_OWNER,  false",
        "WRITE, READ,  OTHER_OWNER,  false",
        "WRITE, WRITE, OTHER_OWNER,  false",
        "READ,  READ,  SAME,         true",
        "READ,  WRITE, SAME,         true",
        "WRITE, READ,  SAME,         true",
        "WRITE, WRITE, SAME,         true",
    })
    void locksExcludeEachOther(LockMode held, LockMode wanted, String owner, boolean isGranted) {
        client.locked(open, "locker", held, 10, 10);
        var second = owner.equals("OTHER_CLIENT") ? other : client;
        var secondOpen = second == other ? otherOpen : open;
        var secondOwner = owner.equals("OTHER_OWNER") ? "another" : "locker";
        var test = second.testLock(secondOwner, wanted, 19, 5);
        var outcome = second.lock(secondOpen, secondOwner, wanted, 19, 5);
        if (isGranted) {
            assertInstanceOf(LockOutcome.Free.class, server.ok(test));
            server.ok(outcome);
        } else {
            denies(client, "locker", test);
            denies(client, "locker", outcome);
            assertEquals(
                    new ByteRange(10, 19),
                    ((LockOutcome.Denied) outcome.value()).conflict().range());
        }
        // Beside the range, everything is free.
        server.ok(second.lock(secondOpen, secondOwner, LockMode.WRITE, 40, 1));
    }

    @Test
    void countsTheChangesOfALock() {
        var lock = client.locked(open, "locker", LockMode.READ, 0, 10);
        assertEquals(1, lock.sequence());
        assertEquals(lock.withSequence(2), client.locked(open, "locker", LockMode.WRITE, 0, 5));
        var known = new LockCall.KnownOwner(lock.withSequence(2));
        var call = new LockCall(FILE, LockMode.READ, false, false, 90, 1, known);
        assertEquals(new LockOutcome.Granted(lock.withSequence(3)), server.ok(client.lock(call)));
        server.refuses(Nfs4Status.OLD_STATEID, client.lock(call));
        server.refuses(Nfs4Status.OLD_STATEID, client.unlock(lock, 0, 1));
        assertEquals(lock.withSequence(4), server.ok(client.unlock(lock.withSequence(3), 0, 1)));
        assertEquals(3, server.state.snapshots().locks(9).size());
    }

    /** A stateid is its client's: another client that knows it gets nothing by it. */
    @Test
    void aStateidLocksForItsOwnClientOnly() {
        var lock = client.locked(open, "locker", LockMode.READ, 0, 10);
        server.refuses(Nfs4Status.BAD_STATEID, other.lock(open, "x", LockMode.READ, 0, 1));
        var known = new LockCall.KnownOwner(lock);
        var call = new LockCall(FILE, LockMode.READ, false, false, 90, 1, known);
        server.refuses(Nfs4Status.BAD_STATEID, other.lock(call));
        server.refuses(Nfs4Status.BAD_STATEID, other.unlock(lock, 0, 10));
        server.refuses(Nfs4Status.BAD_STATEID, other.free(lock));
        server.refuses(Nfs4Status.BAD_STATEID, other.close(FILE, open));
        server.refuses(Nfs4Status.BAD_STATEID, other.check(FILE, open, StateIdUse.READ));
        server.refuses(Nfs4Status.BAD_STATEID, other.downgrade(FILE, open, 1, 0));
    }

    /** Two clients may have owners of one name: each test is for the client of its session. */
    @Test
    void aTestIsForTheOwnerOfItsOwnClient() {
        client.locked(open, "locker", LockMode.WRITE, 0, 10);
        server.ok(client.testLock("locker", LockMode.WRITE, 0, 10));
        denies(client, "locker", other.testLock("locker", LockMode.WRITE, 0, 10));
        denies(client, "locker", client.testLock("another", LockMode.READ, 0, 10));
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "5, 0", "2, -2", "-1, 1", "-1, 0"})
    void refusesEmptyAndEndlessRanges(long offset, long length) {
        server.refuses(Nfs4Status.INVAL, client.lock(open, "x", LockMode.READ, offset, length));
        server.refuses(Nfs4Status.INVAL, client.testLock("x", LockMode.READ, offset, length));
        var lock = client.locked(open, "locker", LockMode.READ, 0, 1);
        server.refuses(Nfs4Status.INVAL, client.unlock(lock, offset, length));
    }

    /** Whole table: the access of the open, and the type. */
    @ParameterizedTest
    @CsvSource({
        "1, READ, true",
        "1, WRITE, false",
        "2, READ, false",
        "2, WRITE, true",
        "3, READ, true",
        "3, WRITE, true",
    })
    void aLockNeedsTheAccessOfItsOpen(int access, LockMode type, boolean isGranted) {
        var narrow = server.ok(client.open(FILE, "narrow", access, 0));
        var outcome = client.lock(narrow, "locker", type, 0, 1);
        if (isGranted) {
            server.ok(outcome);
        } else {
            server.refuses(Nfs4Status.OPENMODE, outcome);
        }
    }

    /** Two opens of one file with one lock owner: POSIX knows one owner. */
    @Test
    void oneLockOwnerAtTwoOpensHasItsLocksOnce() {
        var second = server.ok(client.open(FILE, "second", 3, 0));
        var one = client.locked(open, "locker", LockMode.WRITE, 0, 10);
        var two = client.locked(second, "locker", LockMode.READ, 0, 5);
        assertEquals(1, two.sequence());
        assertTrue(!one.equals(two));
        assertEquals(2, server.state.snapshots().locks(9).size());
        server.ok(client.close(FILE, second));
        assertEquals(
                2, server.state.snapshots().locks(9).size(), "the other open still has the owner");
        server.ok(client.close(FILE, open));
        assertEquals(0, server.state.snapshots().locks(9).size());
    }

    @Test
    void freesLockOwnersWithoutLocks() {
        var lock = client.locked(open, "locker", LockMode.WRITE, 0, 10);
        server.refuses(Nfs4Status.LOCKS_HELD, client.free(lock));
        var unlocked = server.ok(client.unlock(lock, 0, -1));
        server.ok(client.free(unlocked));
        server.refuses(Nfs4Status.BAD_STATEID, client.free(unlocked));
        server.refuses(Nfs4Status.LOCKS_HELD, client.free(open));
        // The owner may lock again, by a new stateid.
        var again = client.locked(open, "locker", LockMode.WRITE, 0, 10);
        assertTrue(again.lower() != lock.lower());
        server.ok(client.unlock(again, 0, 10));
    }

    @Test
    void theKernelHoldsTheUnion() {
        client.locked(open, "locker", LockMode.READ, 0, 100);
        var lock = other.locked(otherOpen, "locker", LockMode.READ, 50, 100);
        server.ok(other.unlock(lock, 0, -1));
        client.locked(open, "locker", LockMode.WRITE, 90, 20);
        server.ok(client.close(FILE, open));
        assertEquals(
                List.of(
                        "READ 0 100",
                        "READ 50 100",
                        "UNLOCK 100 50",
                        "WRITE 90 20",
                        "UNLOCK 0 90",
                        "UNLOCK 90 20",
                        "CLOSE"),
                server.kernel.calls());
    }

    @Test
    void localProcessesAreInTheWay() {
        server.kernel.lockLocally(LockMode.READ, new ByteRange(10, 19));
        var outcome = client.lock(open, "locker", LockMode.WRITE, 0, -1);
        server.refuses(Nfs4Status.DENIED, outcome);
        assertEquals(
                new RangeLock<>(TestKernel.LOCAL, LockMode.READ, new ByteRange(10, 19)),
                ((LockOutcome.Denied) outcome.value()).conflict());
        assertEquals(0, server.state.snapshots().locks(9).size());
        client.locked(open, "locker", LockMode.READ, 0, -1);
    }
}
