package io.github.rpcrdma4j.nfs.state;

import static io.github.rpcrdma4j.nfs.state.StateServer.FILE;
import static io.github.rpcrdma4j.nfs.state.StateServer.LEASE;
import static io.github.rpcrdma4j.nfs.state.StateServer.SECOND;
import static io.github.rpcrdma4j.nfs.state.StateServer.name;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.LockOutcome;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.limit.LockLimits;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: who waits for a lock is told when it is free, and gets it before others, in turn. */
class WaitersTest {
    private final StateServer server = StateServer.start();
    private final StateClient holder = server.client("holder");
    private final StateClient first = server.client("first");
    private final StateClient second = server.client("second");
    private final StateId held = holder.open();
    private final StateId firstOpen = first.open();
    private final StateId secondOpen = second.open();
    private StateId lock;

    @BeforeEach
    void lock() {
        lock = holder.locked(held, "owner", LockMode.WRITE, 0, 100);
    }

    private void denied(Outcome<LockOutcome> outcome) {
        server.refuses(Nfs4Status.DENIED, outcome);
    }

    /** Returns the clients that were told so far. */
    private List<Long> told() {
        return server.actions(Action.NotifyLock.class).stream()
                .map(Action.NotifyLock::clientId)
                .toList();
    }

    @Test
    void tellsTheFirstThatWaits() {
        denied(first.await(firstOpen, "owner", LockMode.WRITE, 10, 10));
        denied(second.await(secondOpen, "owner", LockMode.WRITE, 10, 10));
        server.ok(holder.unlock(lock, 50, 50));
        assertEquals(List.of(), told(), "nothing that they wait for");
        server.ok(holder.unlock(lock.withSequence(2), 0, 50));
        var owner = new StateOwner(first.id, name("owner"));
        assertEquals(
                List.of(new Action.NotifyLock(first.id, FILE, owner)),
                server.actions(Action.NotifyLock.class));
    }

    @Test
    void othersDoNotGetTheLockMeanwhile() {
        denied(first.await(firstOpen, "owner", LockMode.WRITE, 10, 10));
        server.ok(holder.unlock(lock, 0, 100));
        var outcome = second.await(secondOpen, "owner", LockMode.WRITE, 15, 1);
        denied(outcome);
        var conflict = assertInstanceOf(LockOutcome.Denied.class, outcome.value()).conflict();
        assertEquals(new StateOwner(first.id, name("owner")), conflict.owner());
        second.locked(secondOpen, "owner", LockMode.WRITE, 20, 1);
        var mine = first.locked(firstOpen, "owner", LockMode.WRITE, 10, 10);
        assertEquals(List.of(first.id), told());
        server.ok(first.unlock(mine, 0, -1));
        assertEquals(List.of(first.id, second.id), told());
    }

    @Test
    void aTurnEndsSoon() {
        denied(first.await(firstOpen, "owner", LockMode.WRITE, 0, 1));
        denied(second.await(secondOpen, "owner", LockMode.WRITE, 0, 1));
        server.ok(holder.unlock(lock, 0, 100));
        assertEquals(List.of(first.id), told());
        server.pass(LockLimits.DEFAULTS.turnNanos() + 1);
        assertEquals(List.of(first.id, second.id), told());
        server.pass(LockLimits.DEFAULTS.turnNanos() + 1);
        holder.locked(held, "owner", LockMode.WRITE, 0, 1);
    }

    @Test
    void askingAgainKeepsThePlace() {
        denied(first.await(firstOpen, "owner", LockMode.WRITE, 0, 1));
        denied(second.await(secondOpen, "owner", LockMode.WRITE, 0, 1));
        denied(first.await(firstOpen, "owner", LockMode.WRITE, 0, 1));
        server.ok(holder.unlock(lock, 0, 100));
        assertEquals(List.of(first.id), told());
    }

    @Test
    void readersGetTheirTurnsTogether() {
        denied(first.await(firstOpen, "owner", LockMode.READ, 0, 1));
        denied(second.await(secondOpen, "owner", LockMode.READ, 0, 10));
        denied(second.await(secondOpen, "writer", LockMode.WRITE, 0, 10));
        // A WRITE lock that becomes a READ lock is no longer in the way of readers.
        holder.locked(held, "owner", LockMode.READ, 0, 100);
        assertEquals(List.of(first.id, second.id), told());
        first.locked(firstOpen, "owner", LockMode.READ, 0, 1);
        second.locked(secondOpen, "owner", LockMode.READ, 0, 10);
        assertEquals(2, told().size());
    }

    @Test
    void oneThatDoesNotWaitIsNotTold() {
        denied(first.lock(firstOpen, "owner", LockMode.WRITE, 0, 1));
        server.ok(holder.unlock(lock, 0, 100));
        assertEquals(List.of(), told());
    }

    @Test
    void aClosedFileTellsOthers() {
        denied(first.await(firstOpen, "owner", LockMode.WRITE, 0, 1));
        server.ok(holder.close(FILE, held));
        assertEquals(List.of(first.id), told());
    }

    @Test
    void aRestartedHolderTellsOthers() {
        denied(first.await(firstOpen, "owner", LockMode.WRITE, 0, 1));
        var restarted = server.stranger("holder");
        restarted.verifier = 2;
        restarted.connect();
        assertEquals(List.of(first.id), told());
    }

    @Test
    void aRevokedHolderTellsOthers() {
        denied(first.await(firstOpen, "owner", LockMode.WRITE, 0, 1));
        server.ok(server.state.revocations().client(holder.id, server.now));
        assertEquals(List.of(first.id), told());
    }

    @Test
    void whoLeavesGivesItsTurnAway() {
        denied(first.await(firstOpen, "owner", LockMode.WRITE, 0, 1));
        denied(second.await(secondOpen, "owner", LockMode.WRITE, 0, 1));
        server.ok(holder.unlock(lock, 0, 100));
        server.ok(server.state.revocations().client(first.id, server.now));
        assertEquals(List.of(first.id, second.id), told());
        second.locked(secondOpen, "owner", LockMode.WRITE, 0, 1);
    }

    @Test
    void whoDoesNotAskAnyMoreIsForgotten() {
        denied(first.await(firstOpen, "owner", LockMode.WRITE, 0, 1));
        for (int i = 0; i < 3; i++) {
            server.pass(LEASE - SECOND);
            first.renew();
            holder.renew();
            second.renew();
        }
        server.ok(holder.unlock(lock, 0, 100));
        assertEquals(List.of(), told());
        second.locked(secondOpen, "owner", LockMode.WRITE, 0, 1);
    }

    @Test
    void aHostLeavesPlacesOfThoseThatWaitForAFileToOthers() {
        for (int i = 0; i < 10; i++) {
            var evil = server.client("evil" + i);
            var open = evil.open();
            for (int owner = 0; owner < LockLimits.DEFAULTS.waitersOfClient(); owner++) {
                denied(evil.await(open, "owner" + owner, LockMode.READ, 0, 1));
            }
        }
        var honest = server.stranger("honest");
        honest.host = new StateServer.TestHost("another host");
        honest.connect();
        server.ok(honest.reclaimComplete());
        denied(honest.await(honest.open(), "owner", LockMode.READ, 50, 1));
        server.ok(holder.unlock(lock, 50, 1));
        assertEquals(List.of(honest.id), told());
        server.ok(holder.unlock(lock.withSequence(0), 0, 50));
        // Their turns end, so that each is told.
        int most = LockLimits.DEFAULTS.waitersOfFile() / 4;
        for (long i = 0; i < LEASE / LockLimits.DEFAULTS.turnNanos(); i++) {
            server.pass(LockLimits.DEFAULTS.turnNanos() + 1);
        }
        assertEquals(1 + most, told().size());
    }

    @Test
    void theNumberOfThoseThatWaitIsBounded() {
        int most = LockLimits.DEFAULTS.waitersOfClient();
        for (int i = 0; i <= most; i++) {
            denied(first.await(firstOpen, "owner" + i, LockMode.READ, 0, 1));
        }
        server.ok(holder.unlock(lock, 0, 100));
        // The oldest was forgotten, and not all get their turns at a time.
        assertEquals(
                new StateOwner(first.id, name("owner1")),
                server.actions(Action.NotifyLock.class).getFirst().owner());
        for (int i = 1; i <= most; i++) {
            first.locked(firstOpen, "owner" + i, LockMode.READ, 0, 1);
        }
        assertEquals(most, told().size());
    }
}
