package io.github.rpcrdma4j.nfs.state;

import static io.github.rpcrdma4j.nfs.state.StateServer.FILE;
import static io.github.rpcrdma4j.nfs.state.StateServer.LEASE;
import static io.github.rpcrdma4j.nfs.state.StateServer.LOCAL_TIME;
import static io.github.rpcrdma4j.nfs.state.StateServer.OTHER_FILE;
import static io.github.rpcrdma4j.nfs.state.StateServer.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.DelegateCall.Wish;
import io.github.rpcrdma4j.nfs.state.event.DelegatedWriter;
import io.github.rpcrdma4j.nfs.state.event.DelegationKind;
import io.github.rpcrdma4j.nfs.state.event.DelegationOutcome;
import io.github.rpcrdma4j.nfs.state.event.DelegationOutcome.Asked;
import io.github.rpcrdma4j.nfs.state.event.DelegationOutcome.Granted;
import io.github.rpcrdma4j.nfs.state.event.DelegationOutcome.Refused;
import io.github.rpcrdma4j.nfs.state.event.DelegationOutcome.Unproven;
import io.github.rpcrdma4j.nfs.state.event.DelegationOutcome.Why;
import io.github.rpcrdma4j.nfs.state.event.StateIdUse;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.state.table.StatusFlags;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Goal: a client with a delegation may do without the server what it allows, because no other one
 * does what conflicts; and it comes back when another one needs the file.
 */
class DelegationsTest {
    private static final int READ = 1;
    private static final int WRITE = 2;
    private static final int BOTH = 3;

    private final StateServer server = StateServer.start();
    private final StateClient client = server.client("client").answering();
    private final StateClient other = server.client("other").answering();

    private List<Action.Recall> recalls() {
        return server.actions(Action.Recall.class);
    }

    private void refuses(Why why, DelegationOutcome outcome) {
        assertEquals(new Refused(why), outcome);
    }

    /** Whole table: what an open allows, and what its client wishes for. */
    @Test
    void grantsWhatTheOpenAllows() {
        for (int access = READ; access <= BOTH; access++) {
            for (var wish : Wish.values()) {
                var open = server.ok(client.open(FILE, "owner", access, 0));
                var outcome = client.delegate(FILE, open, wish);
                boolean mayWrite = (access & WRITE) != 0;
                if (mayWrite == (wish == Wish.WRITE) || wish == Wish.ANY) {
                    var granted = assertInstanceOf(Granted.class, outcome, access + " " + wish);
                    assertEquals(
                            mayWrite ? DelegationKind.WRITE : DelegationKind.READ, granted.kind());
                    assertFalse(granted.isRecalled());
                    server.ok(client.returnDelegation(FILE, granted.stateId()));
                } else {
                    assertInstanceOf(Refused.class, outcome, access + " " + wish);
                }
                server.ok(client.close(FILE, open));
                assertFalse(server.leases.holds(FILE));
            }
        }
    }

    /** Whole table: what one client has open, and what another one would get. */
    @Test
    void grantsNothingBesideOpensThatConflict() {
        for (int theirs = READ; theirs <= BOTH; theirs++) {
            for (int deny = 0; deny <= BOTH; deny++) {
                for (int access = READ; access <= BOTH; access++) {
                    if ((access & deny) != 0) {
                        continue;
                    }
                    var their = server.ok(other.open(FILE, "their", theirs, deny));
                    var open = server.ok(client.open(FILE, "owner", access, 0));
                    var outcome = client.delegate(FILE, open, Wish.ANY);
                    boolean isFree = theirs == READ && deny == 0 && access == READ;
                    if (isFree) {
                        var granted = assertInstanceOf(Granted.class, outcome);
                        server.ok(client.returnDelegation(FILE, granted.stateId()));
                    } else {
                        refuses(Why.CONTENTION, outcome);
                    }
                    server.ok(client.close(FILE, open));
                    server.ok(other.close(FILE, their));
                }
            }
        }
    }

    @Test
    void manyClientsMayReadAndOneMayWrite() {
        client.delegated("owner", READ);
        other.delegated("owner", READ);
        var third = server.client("third").answering();
        var open = server.ok(third.open(FILE, "owner", READ, 0));
        refuses(Why.RESOURCE, third.delegate(FILE, open, Wish.WRITE));
        assertInstanceOf(Granted.class, third.delegate(FILE, open, Wish.READ));
        assertEquals(List.of(), recalls());
    }

    @Test
    void aClientHasOneDelegationOfAFile() {
        client.delegated("owner", READ);
        var again = server.ok(client.open(FILE, "second", READ, 0));
        refuses(Why.RESOURCE, client.delegate(FILE, again, Wish.READ));
        var wider = server.ok(client.open(FILE, "third", BOTH, 0));
        refuses(Why.NO_UPGRADE, client.delegate(FILE, wider, Wish.WRITE));
        assertEquals(List.of(), recalls());
    }

    @Test
    void aClientThatDoesNotAnswerCallsGetsNone() {
        var silent = server.client("silent");
        var open = server.ok(silent.open(FILE, "owner", READ, 0));
        assertEquals(new Unproven(), silent.delegate(FILE, open, Wish.READ));
        // It is not tried with each open.
        refuses(Why.RESOURCE, silent.delegate(FILE, open, Wish.READ));
        server.pass(31 * SECOND);
        assertEquals(new Unproven(), silent.delegate(FILE, open, Wish.READ));
        silent.answering();
        assertInstanceOf(Granted.class, silent.delegate(FILE, open, Wish.READ));
        var second = server.ok(silent.open(OTHER_FILE, "owner", READ, 0));
        server.ok(server.state.connectionEnded(silent.connection, server.now));
        refuses(Why.RESOURCE, silent.delegate(OTHER_FILE, second, Wish.READ));
    }

    /** Whole table: who else uses the file, and how. */
    @Test
    void comesBackWhenAnotherClientNeedsTheFile() {
        for (int access = READ; access <= BOTH; access++) {
            for (boolean writes : new boolean[] {false, true}) {
                server.pass(31 * SECOND);
                client.renew();
                other.renew();
                var mine = server.ok(client.open(FILE, "owner", writes ? BOTH : READ, 0));
                var granted = (Granted) client.delegate(FILE, mine, Wish.ANY);
                int before = recalls().size();
                var outcome = other.open(FILE, "other", access, 0);
                if (!writes && access == READ) {
                    server.ok(other.close(FILE, server.ok(outcome)));
                    assertEquals(before, recalls().size());
                    server.ok(client.returnDelegation(FILE, granted.stateId()));
                } else {
                    server.refuses(Nfs4Status.DELAY, outcome);
                    assertEquals(
                            new Action.Recall(client.id, FILE, granted.stateId()),
                            recalls().getLast());
                    server.refuses(Nfs4Status.DELAY, other.open(FILE, "other", access, 0));
                    assertEquals(before + 1, recalls().size(), "it is not called at once again");
                    server.ok(client.returnDelegation(FILE, granted.stateId()));
                    server.ok(other.close(FILE, server.ok(other.open(FILE, "other", access, 0))));
                }
                server.ok(client.close(FILE, mine));
            }
        }
    }

    @Test
    void aClientsOwnUseRecallsNothing() {
        var delegation = client.delegated("owner", READ);
        var writer = server.ok(client.open(FILE, "writer", WRITE, 0));
        server.ok(client.requireUndelegated(FILE, true));
        server.ok(client.check(FILE, StateId.ANONYMOUS, StateIdUse.READ));
        server.ok(client.check(FILE, delegation, StateIdUse.READ));
        server.refuses(Nfs4Status.OPENMODE, client.check(FILE, delegation, StateIdUse.WRITE));
        server.ok(client.close(FILE, writer));
        assertEquals(List.of(), recalls());
        // Another client that writes gets it, as if its owner did not write.
        server.refuses(Nfs4Status.DELAY, other.open(FILE, "other", WRITE, 0));
        assertEquals(1, recalls().size());
    }

    @Test
    void usesWithoutAnOpenWaitForIt() {
        var delegation = client.delegated("owner", READ);
        server.ok(other.check(FILE, StateId.ANONYMOUS, StateIdUse.READ));
        server.ok(other.requireUndelegated(FILE, false));
        server.ok(server.state.delegations().requireUndelegated(null, FILE, false, server.now));
        assertEquals(List.of(), recalls());
        server.refuses(
                Nfs4Status.DELAY,
                server.state.delegations().requireUndelegated(null, FILE, true, server.now));
        server.refuses(Nfs4Status.DELAY, other.requireUndelegated(FILE, true));
        server.refuses(Nfs4Status.DELAY, other.check(FILE, StateId.ANONYMOUS, StateIdUse.WRITE));
        assertEquals(1, recalls().size());
        server.ok(client.returnDelegation(FILE, delegation));
        server.ok(server.state.delegations().requireUndelegated(null, FILE, true, server.now));
        server.ok(other.requireUndelegated(FILE, true));
    }

    @Test
    void aWritersFileIsReadByNoOther() {
        client.delegated("owner", BOTH);
        assertEquals(
                Optional.of(new DelegatedWriter(client.id, false, 8, 7, Optional.empty())),
                other.writer(FILE));
        assertEquals(Optional.empty(), client.writer(FILE));
        server.refuses(
                Nfs4Status.DELAY,
                server.state.delegations().requireUndelegated(null, FILE, false, server.now));
        server.refuses(Nfs4Status.DELAY, other.check(FILE, StateId.READ_BYPASS, StateIdUse.READ));
    }

    @Test
    void aCallThatWasLostIsRepeated() {
        client.delegated("owner", READ);
        server.refuses(Nfs4Status.DELAY, other.open(FILE, "other", WRITE, 0));
        server.pass(SECOND);
        server.refuses(Nfs4Status.DELAY, other.open(FILE, "other", WRITE, 0));
        assertEquals(1, recalls().size());
        server.pass(2 * SECOND);
        server.refuses(Nfs4Status.DELAY, other.open(FILE, "other", WRITE, 0));
        assertEquals(2, recalls().size());
        assertEquals(recalls().getFirst(), recalls().getLast());
    }

    /** RFC 8881, Section 10.2.1: not before the lease time is over. */
    @Test
    void isLostIfItDoesNotComeBack() {
        var delegation = client.delegated("owner", READ);
        server.refuses(Nfs4Status.DELAY, other.open(FILE, "other", WRITE, 0));
        server.pass(LEASE / 2);
        client.renew();
        other.renew();
        server.pass(LEASE / 2);
        server.refuses(Nfs4Status.DELAY, other.open(FILE, "other", WRITE, 0));
        assertEquals(0, client.renew() & StatusFlags.RECALLABLE_STATE_REVOKED);
        assertEquals(List.of(), server.actions(Action.DelegationTaken.class));
        server.pass(1);
        server.ok(other.open(FILE, "other", WRITE, 0));
        var taken = server.actions(Action.DelegationTaken.class).getFirst();
        assertEquals(client.id, taken.client().id(), "the operator learns of it");
        assertEquals(StatusFlags.RECALLABLE_STATE_REVOKED, client.renew());
        server.refuses(Nfs4Status.DELEG_REVOKED, client.check(FILE, delegation, StateIdUse.READ));
        server.refuses(Nfs4Status.DELEG_REVOKED, client.returnDelegation(FILE, delegation));
        assertEquals(
                Nfs4Status.DELEG_REVOKED,
                client.ask(use -> server.state.testStateId(use, delegation)));
        assertFalse(server.hasRecord(client), "it cannot reclaim what it lost");
        server.ok(client.free(delegation));
        assertEquals(0, client.renew());
        server.refuses(Nfs4Status.BAD_STATEID, client.free(delegation));
        server.ok(client.open(OTHER_FILE, "owner", READ, 0));
        assertTrue(server.hasRecord(client));
    }

    @Test
    void aClientWhoseLeaseHasExpiredLosesItAtOnce() {
        var delegation = client.delegated("owner", BOTH);
        server.ok(other.open(OTHER_FILE, "other", READ, 0));
        server.pass(LEASE + 1);
        server.ok(other.open(FILE, "other", READ, 0));
        assertEquals(List.of(), recalls());
        assertFalse(server.leases.holds(FILE));
        server.refuses(Nfs4Status.EXPIRED, client.check(FILE, delegation, StateIdUse.READ));
    }

    @Test
    void aFileThatWasRecalledRests() {
        var delegation = client.delegated("owner", READ);
        server.refuses(Nfs4Status.DELAY, other.open(FILE, "other", WRITE, 0));
        server.ok(client.returnDelegation(FILE, delegation));
        var open = server.ok(client.open(FILE, "owner", READ, 0));
        refuses(Why.CONTENTION, client.delegate(FILE, open, Wish.READ));
        server.pass(31 * SECOND);
        assertInstanceOf(Granted.class, client.delegate(FILE, open, Wish.READ));
    }

    @Test
    void nothingIsDelegatedThatLocalProcessesUse() {
        server.leases.useLocally(FILE);
        var open = server.ok(client.open(FILE, "owner", READ, 0));
        refuses(Why.CONTENTION, client.delegate(FILE, open, Wish.READ));
        server.ok(client.close(FILE, open));
        assertEquals(0, server.state.snapshots().opens(9).size());
    }

    @Test
    void aLocalProcessGetsTheFileInTheTimeOfTheKernel() {
        client.delegated("owner", READ);
        other.delegated("owner", READ);
        server.ok(server.state.delegations().localConflict(FILE, server.now));
        assertEquals(2, recalls().size());
        server.pass(3 * SECOND);
        assertEquals(4, recalls().size(), "both are called again");
        server.pass(LOCAL_TIME - 3 * SECOND);
        assertTrue(server.leases.holds(FILE));
        server.pass(1);
        assertFalse(server.leases.holds(FILE));
        assertEquals(StatusFlags.RECALLABLE_STATE_REVOKED, client.renew());
        assertEquals(StatusFlags.RECALLABLE_STATE_REVOKED, other.renew());
    }

    /** The kernel tells of each conflict once, and may do so before the state has its answer. */
    @Test
    void aLocalProcessThatComesBeforeTheAnswerGoesBefore() {
        server.leases.hang();
        var open = server.ok(client.open(FILE, "owner", READ, 0));
        var asked = client.delegate(FILE, open, Wish.READ);
        server.ok(server.state.delegations().localConflict(OTHER_FILE, server.now));
        server.ok(server.state.delegations().localConflict(FILE, server.now));
        server.leases.goOn();
        refuses(Why.CONTENTION, server.leases.outcome(asked));
        assertFalse(server.leases.holds(FILE));
        refuses(Why.CONTENTION, client.delegate(FILE, open, Wish.READ));
        server.pass(31 * SECOND);
        assertInstanceOf(Granted.class, client.delegate(FILE, open, Wish.READ));
    }

    /** The client may hold changes that it made under it. */
    @Test
    void aReclaimedOneThatALocalProcessWaitsForIsRecalled() {
        client.delegated("owner", BOTH);
        server.restart();
        client.connect();
        server.leases.hang();
        var open = server.ok(client.open(FILE, "owner", BOTH, 0, true));
        var asked = client.delegate(FILE, open, Wish.WRITE, true);
        server.ok(server.state.delegations().localConflict(FILE, server.now));
        server.leases.goOn();
        var granted = assertInstanceOf(Granted.class, server.leases.outcome(asked));
        assertTrue(granted.isRecalled());
        assertEquals(1, recalls().size());
        server.ok(client.check(FILE, granted.stateId(), StateIdUse.WRITE));
        server.pass(LOCAL_TIME + 1);
        assertFalse(server.leases.holds(FILE));
    }

    @Test
    void anOpenThatIsClosedMeanwhileGetsNone() {
        server.leases.hang();
        var open = server.ok(client.open(FILE, "owner", READ, 0));
        var asked = assertInstanceOf(Asked.class, client.delegate(FILE, open, Wish.READ));
        server.ok(client.close(FILE, open));
        server.leases.goOn();
        refuses(Why.CONTENTION, server.leases.outcome(asked));
        assertFalse(server.leases.holds(FILE));
    }

    @Test
    void anOpenOfAnotherClientMeanwhileGoesBefore() {
        server.leases.hang();
        var open = server.ok(client.open(FILE, "owner", READ, 0));
        var asked = client.delegate(FILE, open, Wish.READ);
        server.ok(other.open(FILE, "other", WRITE, 0));
        server.leases.goOn();
        refuses(Why.CONTENTION, server.leases.outcome(asked));
        assertFalse(server.leases.holds(FILE));
    }

    @Test
    void aCallerThatWaitsNoLongerGetsNone() {
        server.leases.hang();
        var open = server.ok(client.open(FILE, "owner", READ, 0));
        var asked = (Asked) client.delegate(FILE, open, Wish.READ);
        assertTrue(server.ok(server.state.delegations().abandon(asked.number(), server.now)));
        server.leases.goOn();
        refuses(Why.CONTENTION, server.leases.outcome(asked));
        assertFalse(server.ok(server.state.delegations().abandon(asked.number(), server.now)));
        assertThrows(
                IllegalStateException.class,
                () ->
                        server.state
                                .delegations()
                                .answerKernelLease(asked.number(), true, server.now));
        server.ok(other.open(FILE, "other", WRITE, 0));
    }

    @Test
    void aGrantThatCouldNotBeToldIsTakenBack() {
        var delegation = client.delegated("owner", READ);
        server.ok(
                client.compound(
                        use ->
                                server.state
                                        .delegations()
                                        .takeBack(use, FILE, delegation, server.now)));
        server.refuses(Nfs4Status.BAD_STATEID, client.check(FILE, delegation, StateIdUse.READ));
        server.ok(other.open(FILE, "other", WRITE, 0));
    }

    @Test
    void outlivesItsOpen() {
        var open = server.ok(client.open(FILE, "owner", READ, 0));
        var granted = (Granted) client.delegate(FILE, open, Wish.READ);
        server.ok(client.close(FILE, open));
        server.ok(client.check(FILE, granted.stateId(), StateIdUse.READ));
        server.refuses(Nfs4Status.DELAY, other.open(FILE, "other", WRITE, 0));
        server.refuses(Nfs4Status.LOCKS_HELD, client.free(granted.stateId()));
        server.ok(client.destroySession());
        server.refuses(Nfs4Status.CLIENTID_BUSY, client.destroyClientId());
        client.createSession();
        server.ok(client.returnDelegation(FILE, granted.stateId()));
        assertFalse(server.leases.holds(FILE));
    }

    @Test
    void belongsToOneClientAndOneFile() {
        var delegation = client.delegated("owner", READ);
        server.refuses(Nfs4Status.BAD_STATEID, other.returnDelegation(FILE, delegation));
        server.refuses(Nfs4Status.BAD_STATEID, client.returnDelegation(OTHER_FILE, delegation));
        server.refuses(
                Nfs4Status.BAD_STATEID,
                client.compound(
                        use ->
                                server.state
                                        .delegations()
                                        .requireHeld(use, OTHER_FILE, delegation, server.now)));
        server.ok(
                client.compound(
                        use ->
                                server.state
                                        .delegations()
                                        .requireHeld(use, FILE, delegation, server.now)));
        server.refuses(Nfs4Status.BAD_STATEID, client.close(FILE, delegation));
        server.refuses(Nfs4Status.BAD_STATEID, client.downgrade(FILE, delegation, READ, 0));
        var open = server.ok(client.open(FILE, "second", READ, 0));
        server.refuses(Nfs4Status.BAD_STATEID, client.returnDelegation(FILE, open));
    }

    @Test
    void locksKeepAFileFromBeingDelegated() {
        var open = client.open();
        var lock = client.locked(open, "locker", LockMode.WRITE, 0, 9);
        refuses(Why.CONTENTION, client.delegate(FILE, open, Wish.WRITE));
        server.ok(client.unlock(lock, 0, 9));
        assertInstanceOf(Granted.class, client.delegate(FILE, open, Wish.WRITE));
    }

    @Test
    void isReclaimedAfterARestart() {
        var delegation = client.delegated("owner", BOTH);
        server.restart();
        client.connect();
        var open = server.ok(client.open(FILE, "owner", BOTH, 0, true));
        var granted =
                assertInstanceOf(Granted.class, client.delegate(FILE, open, Wish.WRITE, true));
        assertFalse(granted.isRecalled());
        assertFalse(granted.stateId().equals(delegation));
        server.ok(client.reclaimComplete());
        other.connect();
        server.ok(other.reclaimComplete());
        server.refuses(Nfs4Status.DELAY, other.open(FILE, "other", READ, 0));
    }

    /** The client may hold data that it has yet to write. */
    @Test
    void aReclaimedOneThatCannotLastIsRecalled() {
        client.delegated("owner", BOTH);
        server.restart();
        server.leases.useLocally(FILE);
        client.connect();
        var open = server.ok(client.open(FILE, "owner", BOTH, 0, true));
        var granted =
                assertInstanceOf(Granted.class, client.delegate(FILE, open, Wish.WRITE, true));
        assertTrue(granted.isRecalled());
        assertEquals(1, recalls().size());
        server.ok(client.check(FILE, granted.stateId(), StateIdUse.WRITE));
    }

    @Test
    void nothingIsDelegatedInTheGracePeriod() {
        client.delegated("owner", READ);
        server.restart();
        other.connect();
        server.ok(other.reclaimComplete());
        client.connect();
        var open = server.ok(client.open(FILE, "owner", READ, 0, true));
        refuses(Why.RESOURCE, client.delegate(FILE, open, Wish.READ));
    }

    @Test
    void aClientThatLeavesLeavesNothing() {
        client.delegated("owner", BOTH);
        client.verifier++;
        client.connect();
        server.ok(client.reclaimComplete());
        assertFalse(server.leases.holds(FILE));
        server.ok(other.open(FILE, "other", BOTH, 0));
    }
}
