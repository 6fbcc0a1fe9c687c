package io.github.rpcrdma4j.nfs.server.state;

import static io.github.rpcrdma4j.nfs.server.state.StateServer.LEASE;
import static io.github.rpcrdma4j.nfs.server.state.StateServer.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: no client takes all locks, all descriptors or all places of those that wait. */
class LockLimitsTest {
    private static final int FILES = 8;
    private static final int RANGES = 40;
    private static final int RANGES_OF_FILE = 16;
    private static final int WAITERS = 8;

    private final StateServer server =
            StateServer.with(
                    StateLimits.DEFAULTS.withLocks(
                            new LockLimits(
                                    FILES,
                                    RANGES,
                                    30,
                                    RANGES_OF_FILE,
                                    64,
                                    WAITERS,
                                    6,
                                    100,
                                    LockLimits.DEFAULTS.turnNanos())));
    private final StateClient greedy = server.client("greedy");
    private final StateClient honest = server.client("honest");

    private Outcome<LockOutcome> lock(StateClient client, int file, long offset) {
        var key = new StateServer.TestFile("file" + file);
        var open = server.ok(client.open(key, "owner", 3, 0));
        var from = new LockCall.NewOwner(open, StateServer.name("locker"));
        return client.lock(new LockCall(key, LockMode.WRITE, false, false, offset, 1, from));
    }

    /** Returns how many locks a client gets before the server refuses. */
    private int most(StateClient client, int filesStep, int from) {
        for (int i = 0; ; i++) {
            var outcome = lock(client, filesStep * (from + i), 1000L * from + 2L * i);
            if (!outcome.isOk()) {
                server.refuses(Nfs4Status.DELAY, outcome);
                return i;
            }
        }
    }

    @Test
    void aClientGetsHalfOfTheDescriptorsThatOthersLeave() {
        assertEquals(FILES / 2, most(greedy, 1, 0));
        assertEquals(FILES / 4, most(honest, 1, 100));
        assertEquals(1, most(server.client("third"), 1, 200));
        // A file that has a descriptor needs no other one.
        server.ok(lock(greedy, 100, 0));
    }

    @Test
    void aDescriptorThatIsClosedIsFreeAgain() {
        var locks = new ArrayList<StateId>();
        for (int i = 0; i < 3 * FILES; i++) {
            var key = new StateServer.TestFile("file" + i);
            var outcome = server.ok(lock(greedy, i, 0));
            locks.add(((LockOutcome.Granted) outcome).stateId());
            server.ok(
                    greedy.compound(
                            use ->
                                    server.state.unlock(
                                            use, key, locks.getLast(), 0, -1, server.now)));
        }
        assertEquals(3 * FILES, locks.size());
    }

    @Test
    void aClientGetsHalfOfTheRangesOfAFile() {
        assertEquals(RANGES_OF_FILE / 2, most(greedy, 0, 0));
        assertEquals(RANGES_OF_FILE / 4, most(honest, 0, 1));
    }

    /** LOCKU can make two ranges of one, so it has the same limits. */
    @Test
    void unlockingDoesNotMakeMoreRangesThanLocking() {
        var open = greedy.open();
        var lock = greedy.locked(open, "locker", LockMode.WRITE, 0, 1000);
        int cuts = 0;
        var outcome = greedy.unlock(lock, 1, 1);
        while (outcome.isOk() && cuts < RANGES) {
            cuts++;
            outcome = greedy.unlock(outcome.value(), 2L * cuts + 1, 1);
        }
        server.refuses(Nfs4Status.LOCK_RANGE, outcome);
        assertEquals(RANGES_OF_FILE - 1, cuts);
        assertEquals(RANGES_OF_FILE, server.state.locks(99).size());
        // What makes no more ranges is unlocked.
        server.ok(greedy.unlock(lock.withSequence(0), 0, -1));
    }

    @Test
    void theRangesThatTheKernelIsAskedForCount() {
        server.kernel.hang();
        assertEquals(RANGES_OF_FILE / 2, most(greedy, 0, 0));
        server.kernel.goOn();
        assertEquals(RANGES_OF_FILE / 2, server.state.locks(99).size());
    }

    @Test
    void expiredClientsMakeRoom() {
        for (int client = 0; client < 3; client++) {
            var each = server.client("gone" + client);
            for (int i = 0; i < 4; i++) {
                if (!lock(each, 10 * client + i, 0).isOk()) {
                    break;
                }
            }
        }
        var last = server.client("last");
        server.ok(lock(last, 100, 0));
        server.refuses(Nfs4Status.DELAY, lock(honest, 101, 0));
        server.pass(LEASE / 2);
        honest.renew();
        server.pass(LEASE / 2 + SECOND);
        server.ok(lock(honest, 101, 0));
        assertTrue(server.state.locks(99).size() > 1, "only one of them made room");
    }

    @Test
    void expiredClientsMakeRoomInAFile() {
        int locks = 0;
        for (int client = 0; client < 4; client++) {
            locks += most(server.client("gone" + client), 0, 1 + client);
        }
        assertEquals(RANGES_OF_FILE - 1, locks);
        server.refuses(Nfs4Status.DELAY, lock(honest, 0, 0));
        server.pass(LEASE / 2);
        honest.renew();
        server.pass(LEASE / 2 + SECOND);
        server.ok(lock(honest, 0, 0));
        assertTrue(server.state.locks(99).size() > 1, "only one of them made room");
    }

    @Test
    void thoseThatWaitAreBounded() {
        var holder = server.client("holder");
        var held = holder.locked(holder.open(), "locker", LockMode.WRITE, 0, 100);
        for (var each : List.of(greedy, honest, server.client("third"))) {
            var open = each.open();
            for (int i = 0; i < 2 * WAITERS; i++) {
                server.refuses(
                        Nfs4Status.DENIED, each.await(open, "owner" + i, LockMode.READ, i, 1));
            }
        }
        server.ok(holder.unlock(held, 0, -1));
        var told = server.actions(Action.NotifyLock.class);
        var clients = told.stream().map(Action.NotifyLock::clientId).toList();
        assertEquals(4, clients.stream().filter(each -> each == greedy.id).count());
        assertEquals(2, clients.stream().filter(each -> each == honest.id).count());
        assertEquals(1, clients.size() - 6);
        // Each client keeps its newest requests.
        assertEquals(StateServer.name("owner12"), told.getFirst().owner().name());
    }
}
