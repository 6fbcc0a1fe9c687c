package io.github.rpcrdma4j.nfs.state;

import static io.github.rpcrdma4j.nfs.state.StateServer.FILE;
import static io.github.rpcrdma4j.nfs.state.StateServer.LEASE;
import static io.github.rpcrdma4j.nfs.state.StateServer.OTHER_FILE;
import static io.github.rpcrdma4j.nfs.state.StateServer.SECOND;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.event.OwnerCall;
import io.github.rpcrdma4j.nfs.state.event.OwnerReply;
import io.github.rpcrdma4j.nfs.state.event.StateIdUse;
import io.github.rpcrdma4j.nfs.state.limit.StateLimits;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: the operations of an owner have an order, the last one may be repeated, and new open owners
 * have to confirm themselves (RFC 7530, Sections 9.1.7 to 9.1.11).
 */
class OwnersTest {
    private static final byte[] REPLY = {1, 2, 3};

    private final StateServer server = StateServer.start();
    private final LeaseClient client = new LeaseClient(server, "client").connect();

    private Outcome<OwnerTurn> opening(String owner, int sequence) {
        return client.begin(new OwnerCall.Opening(StateServer.name(owner), sequence, false));
    }

    private OwnerTurn.Next next(Outcome<OwnerTurn> turn) {
        return assertInstanceOf(OwnerTurn.Next.class, server.ok(turn));
    }

    private void end(OwnerTurn.Next turn, Nfs4Status status) {
        server.ok(
                server.state
                        .version0()
                        .endTurn(
                                turn, status, new OwnerReply(REPLY, Optional.empty()), server.now));
    }

    private void requireRepeated(Outcome<OwnerTurn> turn) {
        var repeated = assertInstanceOf(OwnerTurn.Repeated.class, server.ok(turn));
        assertArrayEquals(REPLY, repeated.reply().result());
    }

    /** Opens a file in the sequence of its owner. */
    private StateId open(FileKey file, String owner, int sequence) {
        var turn = next(opening(owner, sequence));
        var open = server.ok(client.open(file, owner, 3, 0, false));
        end(turn, Nfs4Status.OK);
        return open;
    }

    private StateId confirm(StateId open, int sequence) {
        var turn = next(holding(open, sequence));
        var confirmed = server.ok(client.confirmOpen(FILE, open));
        end(turn, Nfs4Status.OK);
        return confirmed;
    }

    private Outcome<OwnerTurn> holding(StateId id, int sequence) {
        return client.begin(new OwnerCall.Holding(id, sequence));
    }

    /** Opens the file of tests, and confirms it: the last sequence of the owner is 6. */
    private StateId opened() {
        return confirm(open(FILE, "owner", 5), 6);
    }

    @Test
    void theLastOperationIsRepeatedAndOnlyTheNextOneIsNew() {
        var open = opened();
        requireRepeated(holding(open, 6));
        for (int wrong : new int[] {0, 4, 5, 8, 50}) {
            server.refuses(Nfs4Status.BAD_SEQID, holding(open, wrong));
            server.refuses(Nfs4Status.BAD_SEQID, opening("owner", wrong));
        }
        requireRepeated(opening("owner", 6));
        end(next(holding(open, 7)), Nfs4Status.INVAL);
        requireRepeated(holding(open, 7));
        next(opening("owner", 8));
    }

    @Test
    void sequencesWrapAround() {
        var open = open(FILE, "owner", -2);
        var confirmed = confirm(open, -1);
        end(next(holding(confirmed, 0)), Nfs4Status.OK);
        requireRepeated(holding(confirmed, 0));
        next(holding(confirmed, 1));
    }

    @ParameterizedTest
    @EnumSource(
            value = Nfs4Status.class,
            names = {
                "STALE_CLIENTID",
                "STALE_STATEID",
                "BAD_STATEID",
                "BAD_SEQID",
                "BADXDR",
                "RESOURCE",
                "NOFILEHANDLE",
                "MOVED"
            })
    void someErrorsDoNotCount(Nfs4Status status) {
        var open = opened();
        end(next(holding(open, 7)), status);
        end(next(holding(open, 7)), Nfs4Status.OLD_STATEID);
        requireRepeated(holding(open, 7));
    }

    @Test
    void anOwnerHasOneOperationInProgress() {
        var open = opened();
        var turn = next(holding(open, 7));
        server.refuses(Nfs4Status.DELAY, holding(open, 7));
        server.refuses(Nfs4Status.BAD_SEQID, holding(open, 8));
        end(turn, Nfs4Status.OK);
        requireRepeated(holding(open, 7));
        assertThrows(IllegalStateException.class, () -> end(turn, Nfs4Status.OK));
    }

    @Test
    void aNewOwnerHasToConfirmItself() {
        var turn = next(opening("owner", 5));
        assertTrue(turn.isUnconfirmed());
        var open = server.ok(client.open("owner", 3, 3));
        end(turn, Nfs4Status.OK);
        server.refuses(Nfs4Status.BAD_STATEID, client.check(open, StateIdUse.READ));
        server.refuses(Nfs4Status.BAD_STATEID, client.close(FILE, open));
        server.refuses(Nfs4Status.BAD_STATEID, client.confirmOpen(OTHER_FILE, open));
        var confirmed = confirm(open, 6);
        assertEquals(open.withSequence(2), confirmed);
        server.ok(client.check(confirmed, StateIdUse.READ));
        server.refuses(Nfs4Status.OLD_STATEID, client.check(open, StateIdUse.READ));
        server.refuses(Nfs4Status.BAD_STATEID, client.confirmOpen(FILE, confirmed));
        var again = next(opening("owner", 7));
        assertTrue(!again.isUnconfirmed(), "it is known");
    }

    @Test
    void anotherOpenReplacesOneThatIsNotConfirmed() {
        var first = open(FILE, "owner", 5);
        requireRepeated(opening("owner", 5));
        var second = open(OTHER_FILE, "owner", 9);
        server.refuses(Nfs4Status.BAD_STATEID, client.confirmOpen(FILE, first));
        server.ok(client.confirmOpen(OTHER_FILE, second));
        assertEquals(1, server.state.snapshots().opens(10).size());
    }

    @Test
    void anOwnerThatDoesNotConfirmIsForgottenAfterALease() {
        open(FILE, "owner", 5);
        server.pass(LEASE / 2);
        server.ok(client.renew());
        server.pass(LEASE / 2 + SECOND);
        server.ok(client.renew());
        assertEquals(0, server.state.snapshots().opens(10).size());
        server.ok(new LeaseClient(server, "other").connect().open("other", 3, 3));
    }

    @Test
    void aReclaimNeedsNoConfirmation() {
        opened();
        server.restart();
        client.connect();
        var call = new OwnerCall.Opening(StateServer.name("owner"), 1, true);
        var turn = next(client.begin(call));
        assertTrue(!turn.isUnconfirmed());
        var open = server.ok(client.open(FILE, "owner", 3, 0, true));
        end(turn, Nfs4Status.OK);
        server.ok(client.check(open, StateIdUse.WRITE));
    }

    @Test
    void aCloseIsRepeatedForALease() {
        var open = opened();
        var turn = next(holding(open, 7));
        server.ok(client.close(FILE, open));
        end(turn, Nfs4Status.OK);
        requireRepeated(holding(open, 7));
        server.pass(LEASE - SECOND);
        requireRepeated(holding(open, 7));
        server.refuses(Nfs4Status.BAD_SEQID, holding(open, 50));
        server.pass(2 * SECOND);
        server.refuses(Nfs4Status.BAD_STATEID, holding(open, 7));
    }

    @Test
    void aNewLockOwnerHasTheOrderOfItsOpenOwnerFirst() {
        var open = opened();
        var lock = new OwnerCall.NewLock(open, 7, StateServer.name("locker"), 20);
        var turn = next(client.begin(lock));
        var locked = client.locked(open, "locker", 0, 10);
        end(turn, Nfs4Status.OK);
        requireRepeated(client.begin(lock));
        requireRepeated(holding(locked, 20));
        server.refuses(Nfs4Status.BAD_SEQID, holding(locked, 22));
        var wrong = new OwnerCall.NewLock(open, 8, StateServer.name("locker"), 22);
        server.refuses(Nfs4Status.BAD_SEQID, client.begin(wrong));
        end(next(holding(locked, 21)), Nfs4Status.OK);
        var again = new OwnerCall.NewLock(open, 8, StateServer.name("locker"), 22);
        end(next(client.begin(again)), Nfs4Status.OK);
        end(next(holding(locked, 23)), Nfs4Status.OK);
        end(next(holding(open, 9)), Nfs4Status.OK);
    }

    @Test
    void aLockThatIsDeniedCountsForTheOpenOwnerOnly() {
        var open = opened();
        var lock = new OwnerCall.NewLock(open, 7, StateServer.name("locker"), 20);
        end(next(client.begin(lock)), Nfs4Status.DENIED);
        requireRepeated(client.begin(lock));
        var again = new OwnerCall.NewLock(open, 8, StateServer.name("locker"), 0);
        end(next(client.begin(again)), Nfs4Status.DENIED);
    }

    @Test
    void aLockOwnerIsReleasedWithoutItsLocks() {
        var open = opened();
        var locked = client.locked(open, "locker", 0, 10);
        server.refuses(Nfs4Status.LOCKS_HELD, client.releaseLockOwner("locker"));
        locked = server.ok(client.unlock(locked, 0, 10));
        server.ok(client.releaseLockOwner("locker"));
        server.refuses(Nfs4Status.BAD_STATEID, client.unlock(locked, 0, 10));
        server.ok(client.releaseLockOwner("locker"));
        server.ok(client.releaseLockOwner("unknown"));
    }

    @Test
    void aClientThatDoesNotAskForALockAgainLosesItsTurnAfterALease() {
        var holder = client.locked(opened(), "locker", 0, 10);
        var waiting = new LeaseClient(server, "waiting").connect();
        var open = server.ok(waiting.open("owner", 3, 0));
        server.refuses(Nfs4Status.DENIED, waiting.await(open, "waiter", 0, 10));
        for (int i = 0; i < 3; i++) {
            server.pass(LEASE / 2);
            server.ok(client.renew());
            server.ok(waiting.renew());
        }
        server.ok(client.unlock(holder, 0, 10));
        var third = new LeaseClient(server, "third").connect();
        third.locked(server.ok(third.open("owner", 3, 0)), "third", 0, 10);
    }

    @Test
    void ownersCountInTheShareOfTheirClient() {
        var few = StateServer.with(StateLimits.forMemory(64 << 20));
        var one = new LeaseClient(few, "client").connect();
        Nfs4Status status = Nfs4Status.OK;
        int granted = 0;
        while (status == Nfs4Status.OK && granted < 100_000) {
            var name = "owner" + granted;
            var call = new OwnerCall.Opening(StateServer.name(name), 1, true);
            var outcome = one.begin(call);
            status = outcome.status();
            if (outcome.isOk()) {
                few.ok(one.open(new StateServer.TestFile(name), name, 1, 0, false));
                few.ok(
                        few.state
                                .version0()
                                .endTurn(
                                        (OwnerTurn.Next) outcome.value(),
                                        Nfs4Status.OK,
                                        new OwnerReply(REPLY, Optional.empty()),
                                        few.now));
                granted++;
            }
        }
        assertEquals(Nfs4Status.NOSPC, status);
        assertTrue(granted > 16, "granted: " + granted);
        // Another host still finds room.
        var other = new LeaseClient(few, "other");
        other.host = new StateServer.TestHost("elsewhere");
        few.ok(other.connect().open("owner", 1, 0));
    }

    @Test
    void ownersThatHaveNothingMakeRoom() {
        var few = StateServer.with(StateLimits.forMemory(64 << 20));
        var one = new LeaseClient(few, "client").connect();
        for (int i = 0; i < 20_000; i++) {
            var call = new OwnerCall.Opening(StateServer.name("owner" + i), 1, false);
            var turn = (OwnerTurn.Next) few.ok(one.begin(call));
            few.ok(
                    few.state
                            .version0()
                            .endTurn(
                                    turn,
                                    Nfs4Status.NOENT,
                                    new OwnerReply(REPLY, Optional.empty()),
                                    few.now));
        }
        var last = new OwnerCall.Opening(StateServer.name("owner"), 1, false);
        few.ok(one.begin(last));
        few.ok(one.open("owner", 1, 0));
    }

    /** The reply opens a file that the other user may have no way to. */
    @Test
    void aReplyIsGivenAgainToItsCallerOnly() {
        var open = open(FILE, "owner", 1);
        client.principal = StateServer.OTHER;
        server.refuses(Nfs4Status.BAD_SEQID, opening("owner", 1));
        client.principal = StateServer.ROOT;
        requireRepeated(opening("owner", 1));
        var confirmed = confirm(open, 2);
        client.principal = StateServer.OTHER;
        server.refuses(Nfs4Status.BAD_SEQID, holding(open, 2));
        // Owners may have several users: the next operation may be that of another one.
        end(next(holding(confirmed, 3)), Nfs4Status.OK);
        requireRepeated(holding(confirmed, 3));
        client.principal = StateServer.ROOT;
        server.refuses(Nfs4Status.BAD_SEQID, holding(confirmed, 3));
    }
}
