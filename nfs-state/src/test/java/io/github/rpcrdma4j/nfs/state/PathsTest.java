package io.github.rpcrdma4j.nfs.state;

import static io.github.rpcrdma4j.nfs.state.StateServer.FILE;
import static io.github.rpcrdma4j.nfs.state.StateServer.LEASE;
import static io.github.rpcrdma4j.nfs.state.StateServer.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.CallbackPath;
import io.github.rpcrdma4j.nfs.state.event.DelegateCall;
import io.github.rpcrdma4j.nfs.state.event.DelegationOutcome;
import io.github.rpcrdma4j.nfs.state.event.DelegationOutcome.Granted;
import io.github.rpcrdma4j.nfs.state.event.DelegationOutcome.Refused;
import io.github.rpcrdma4j.nfs.state.event.DelegationOutcome.Unproven;
import io.github.rpcrdma4j.nfs.state.event.DelegationOutcome.Why;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.event.OwnerCall;
import io.github.rpcrdma4j.nfs.state.event.OwnerReply;
import io.github.rpcrdma4j.nfs.state.event.StateIdUse;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: a client of minor version 0 has delegations while it can be called back, and learns when it
 * cannot (RFC 7530, Sections 10.4, 16.28 and 16.33).
 */
class PathsTest {
    private record Place(String name) implements CallbackPath {}

    private static final Place PLACE = new Place("place");

    private final StateServer server = StateServer.start();
    private final LeaseClient client = new LeaseClient(server, "client");
    private final StateClient other = server.client("other").answering();

    private LeaseClient connect(CallbackPath path) {
        client.path = path;
        return client.connect();
    }

    private void called(CallbackPath path, boolean isAnswered) {
        server.state.version0().called(client.id, path, isAnswered, server.now);
    }

    private Optional<CallbackPath> path() {
        return server.state.version0().path(client.id, server.now);
    }

    private DelegationOutcome delegate(StateId open) {
        return delegate(open, false);
    }

    private DelegationOutcome delegate(StateId open, boolean isReclaim) {
        var call =
                new DelegateCall(FILE, open, DelegateCall.Wish.ANY, isReclaim, 7, Optional.empty());
        return server.leases.outcome(
                server.ok(
                        client.named(
                                use ->
                                        server.state
                                                .delegations()
                                                .delegate(use, call, server.now))));
    }

    /** Returns the delegation of a client that has answered a call. */
    private StateId delegated(int access) {
        connect(PLACE);
        called(PLACE, true);
        var open = server.ok(client.open("owner", access, 0));
        return assertInstanceOf(Granted.class, delegate(open)).stateId();
    }

    private Outcome<Void> renew() {
        return server.run(server.state.version0().renew(client.id, client.sender(), server.now));
    }

    private Outcome<Void> giveBack(StateId delegation) {
        return client.holding(
                delegation,
                use -> server.state.delegations().giveBack(use, FILE, delegation, server.now));
    }

    /** Whole table: whether it has a path, and what came of the last call. */
    @ParameterizedTest
    @CsvSource({
        "false, NONE,     RESOURCE",
        "true,  NONE,     UNPROVEN",
        "true,  ANSWERED, GRANTED",
        "true,  LOST,     UNPROVEN",
    })
    void grantsOneIfTheClientHasAnswered(boolean hasPath, String last, String expected) {
        connect(hasPath ? PLACE : null);
        if (!last.equals("NONE")) {
            called(PLACE, last.equals("ANSWERED"));
        }
        var outcome = delegate(server.ok(client.open("owner", 1, 0)));
        switch (expected) {
            case "RESOURCE" -> assertEquals(new Refused(Why.RESOURCE), outcome);
            case "UNPROVEN" -> assertEquals(new Unproven(), outcome);
            default -> assertInstanceOf(Granted.class, outcome);
        }
    }

    /** Whole table: whether it has delegations, a path, and what came of the last call. */
    @ParameterizedTest
    @CsvSource({
        "false, true,  NONE,     OK",
        "false, true,  LOST,     OK",
        "false, false, NONE,     OK",
        "true,  true,  ANSWERED, OK",
        "true,  true,  LOST,     CB_PATH_DOWN",
        "true,  false, NONE,     CB_PATH_DOWN",
        "true,  true,  NONE,     OK",
    })
    void renewTellsWhetherRecallsArrive(
            boolean hasDelegation, boolean hasPath, String last, Nfs4Status expected) {
        if (hasDelegation) {
            delegated(1);
        }
        connect(hasPath ? PLACE : null);
        if (!last.equals("NONE")) {
            called(PLACE, last.equals("ANSWERED"));
        }
        assertEquals(expected, renew().status());
        // The lease is renewed in any case.
        server.pass(LEASE - SECOND);
        assertEquals(expected, renew().status());
        server.pass(LEASE - SECOND);
        assertEquals(expected, renew().status());
    }

    /** GETATTR of minor version 0 does not say whether the writer itself asks. */
    @Test
    void aWriterGetsNone() {
        connect(PLACE);
        called(PLACE, true);
        var open = server.ok(client.open("owner", 3, 0));
        assertEquals(new Refused(Why.RESOURCE), delegate(open));
        assertEquals(new Refused(Why.RESOURCE), delegate(open, true));
    }

    @Test
    void aPathIsThatOfTheLastConfirmation() {
        client.path = PLACE;
        client.setClientId();
        assertEquals(Optional.empty(), path(), "not confirmed yet");
        server.ok(client.confirm(client.id, client.confirm));
        assertEquals(Optional.of(PLACE), path());
        client.path = new Place("newer");
        client.setClientId();
        assertEquals(Optional.of(PLACE), path());
        server.ok(client.confirm(client.id, client.confirm));
        assertEquals(Optional.of(client.path), path());
        // What comes of calls over the earlier one does not matter any more.
        called(PLACE, true);
        var open = server.ok(client.open("owner", 1, 0));
        assertEquals(new Unproven(), delegate(open));
        called(client.path, true);
        called(PLACE, false);
        assertInstanceOf(Granted.class, delegate(open));
    }

    @Test
    void anOwnerThatIsNotConfirmedGetsNone() {
        connect(PLACE);
        called(PLACE, true);
        var turn =
                (OwnerTurn.Next)
                        server.ok(
                                client.begin(
                                        new OwnerCall.Opening(
                                                StateServer.name("owner"), 1, false)));
        var open = server.ok(client.open("owner", 1, 0));
        assertEquals(new Refused(Why.RESOURCE), delegate(open));
        var reply = new OwnerReply(new byte[0], Optional.empty());
        server.ok(server.state.version0().endTurn(turn, Nfs4Status.OK, reply, server.now));
        assertInstanceOf(Granted.class, delegate(server.ok(client.confirmOpen(FILE, open))));
    }

    @Test
    void itComesBackWhenAnotherClientNeedsTheFile() {
        var delegation = delegated(1);
        server.refuses(Nfs4Status.DELAY, other.open(FILE, "other", 2, 0));
        assertEquals(
                List.of(new Action.Recall(client.id, FILE, delegation)),
                server.actions(Action.Recall.class));
        server.ok(client.check(delegation, StateIdUse.READ));
        server.ok(giveBack(delegation));
        server.ok(other.open(FILE, "other", 2, 0));
        server.refuses(Nfs4Status.BAD_STATEID, giveBack(delegation));
    }

    @Test
    void oneThatDoesNotComeBackIsNotThereAnyMore() {
        var delegation = delegated(1);
        server.refuses(Nfs4Status.DELAY, other.open(FILE, "other", 2, 0));
        server.pass(LEASE / 2);
        server.ok(renew());
        other.renew();
        server.pass(LEASE / 2 + 1);
        server.ok(other.open(FILE, "other", 2, 0));
        server.refuses(Nfs4Status.BAD_STATEID, client.check(delegation, StateIdUse.READ));
        server.refuses(Nfs4Status.BAD_STATEID, giveBack(delegation));
        server.ok(renew());
        var record =
                server.records().stream().filter(each -> each.owner().equals(client.name)).toList();
        assertTrue(record.getFirst().isRevoked(), "it cannot reclaim what it lost");
        server.ok(client.open(StateServer.OTHER_FILE, "owner", 1, 0, false));
    }

    @Test
    void oneFromBeforeARestartIsReclaimedByAClientThatHasNotAnsweredYet() {
        delegated(1);
        server.restart();
        connect(PLACE);
        var open = server.ok(client.open("owner", 1, 0, true));
        assertInstanceOf(Granted.class, delegate(open, true));
    }

    @Test
    void noCallTellsAboutLocks() {
        connect(PLACE);
        called(PLACE, true);
        var mine = server.ok(client.open("owner", 3, 0));
        var their = server.ok(other.open(FILE, "other", 3, 0));
        var lock = other.locked(their, "locker", LockMode.WRITE, 0, 10);
        server.refuses(Nfs4Status.DENIED, client.await(mine, "waiter", 0, 10));
        server.ok(other.unlock(lock, 0, 10));
        assertEquals(List.of(), server.actions(Action.NotifyLock.class));
    }
}
