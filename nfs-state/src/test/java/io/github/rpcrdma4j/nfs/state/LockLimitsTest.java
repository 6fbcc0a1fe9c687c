package io.github.rpcrdma4j.nfs.state;

import static io.github.rpcrdma4j.nfs.state.StateServer.LEASE;
import static io.github.rpcrdma4j.nfs.state.StateServer.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.LockCall;
import io.github.rpcrdma4j.nfs.state.event.LockOutcome;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.limit.LockLimits;
import io.github.rpcrdma4j.nfs.state.limit.StateLimits;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: no client takes all locks, all descriptors or all places of those that wait. */
class LockLimitsTest {
    private static final int FILES = 32;
    private static final int RANGES = 400;
    private static final int RANGES_OF_FILE = 64;
    private static final int WAITERS = 32;

    private final StateServer server =
            StateServer.with(
                    StateLimits.DEFAULTS.withLocks(
                            new LockLimits(
                                    FILES,
                                    RANGES,
                                    30,
                                    RANGES_OF_FILE,
                                    64,
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

    /** Returns how many locks of one file a client gets before the server refuses. */
    private int mostOf(StateClient client, int file, int from) {
        for (int i = 0; ; i++) {
            if (!lock(client, file, 1000L * from + 2L * i).isOk()) {
                return i;
            }
        }
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
    void aClientGetsHalfOfTheDescriptorsThatOthersOfItsHostLeave() {
        assertEquals(FILES / 4 / 2, most(greedy, 1, 0));
        assertEquals(FILES / 4 / 4, most(honest, 1, 100));
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
    void aClientGetsHalfOfTheRangesOfAFileOfItsHost() {
        // A lock needs room for two ranges.
        assertEquals(RANGES_OF_FILE / 4 / 2 - 1, most(greedy, 0, 0));
        assertEquals(RANGES_OF_FILE / 4 / 4, most(honest, 0, 1));
        assertTrue(most(of("other host", 0), 0, 2) > RANGES_OF_FILE / 4 / 4);
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
        assertEquals(RANGES_OF_FILE / 4 / 2 - 1, cuts);
        assertEquals(RANGES_OF_FILE / 4 / 2, server.state.snapshots().locks(99).size());
        // What makes no more ranges is unlocked.
        server.ok(greedy.unlock(lock.withSequence(0), 0, -1));
    }

    @Test
    void theRangesThatTheKernelIsAskedForCount() {
        server.kernel.hang();
        int asked = RANGES_OF_FILE / 4 / 2 / FileLocks.LOCK_RANGES;
        assertEquals(asked, most(greedy, 0, 0));
        server.kernel.goOn();
        assertEquals(asked, server.state.snapshots().locks(99).size());
    }

    private StateClient of(String host, int number) {
        var client = server.stranger(host + number);
        client.host = new StateServer.TestHost(host);
        client.connect();
        server.ok(client.reclaimComplete());
        return client;
    }

    /** Many clients of one host, each with files of its own or all with one. */
    private int most(String host, int filesStep) {
        int locks = 0;
        for (int i = 0; i < 20; i++) {
            locks += most(of(host, i), filesStep, 10_000 + 100 * i);
        }
        return locks;
    }

    @Test
    void aHostLeavesDescriptorsToOthers() {
        assertEquals(FILES / 4, most("evil", 1));
        server.ok(lock(of("honest", 0), 1, 0));
    }

    @Test
    void aHostLeavesRangesOfAFileToOthers() {
        int locks = most("evil", 0);
        assertTrue(locks <= RANGES_OF_FILE / 4, "locks: " + locks);
        server.ok(lock(of("honest", 0), 0, 0));
    }

    @Test
    void aHostLeavesRangesToOthers() {
        int locks = 0;
        for (int i = 0; i < 40; i++) {
            var evil = of("evil", i);
            for (int file = 0; file < 6; file++) {
                locks += mostOf(evil, file, 10_000 + 100 * i);
            }
        }
        assertTrue(locks > RANGES / 8 && locks <= RANGES / 4, "locks: " + locks);
        server.ok(lock(of("honest", 0), 1, 0));
    }

    @Test
    void locksTakeAPartOfTheMemory() {
        for (long bytes = 64 << 20; bytes <= 64L << 30; bytes *= 2) {
            var limits = StateLimits.forMemory(bytes).locks();
            assertTrue(limits.ranges() * 300L <= bytes / 8);
            assertTrue(limits.waiters() * 1400L <= bytes / 32);
            assertTrue(limits.ranges() <= 1_000_000 && limits.waiters() <= 65_536);
        }
        assertEquals(1_000_000, LockLimits.DEFAULTS.ranges());
        assertEquals((256 << 20) / 8 / 300, StateLimits.forMemory(256 << 20).locks().ranges());
    }

    /** The descriptor counts for a client that is left when the first one goes. */
    @Test
    void aDescriptorCountsForThoseThatUseIt() {
        server.ok(lock(honest, 0, 0));
        var key = new StateServer.TestFile("file0");
        var open = server.ok(greedy.open(key, "owner", 3, 0));
        server.ok(lock(greedy, 0, 10));
        var again = server.ok(honest.open(key, "owner", 3, 0));
        server.ok(honest.close(key, again));
        assertEquals(FILES / 4 / 2 - 1, most(greedy, 1, 1));
        server.ok(greedy.close(key, open.withSequence(0)));
        server.ok(lock(greedy, 50, 0));
    }

    /** A host does not get rid of what it has asked the kernel for when its clients vanish. */
    @Test
    void questionsOfClientsThatHaveLeftCountForTheirHost() {
        server.kernel.hang();
        for (int i = 0; i < 20; i++) {
            var evil = of("evil", 0);
            evil.verifier = i + 2;
            evil.connect();
            server.ok(evil.reclaimComplete());
            for (int file = 0; file < 3; file++) {
                lock(evil, 10 * i + file, 0);
            }
        }
        assertEquals(FILES / 4, server.actions(Action.AskLock.class).size());
        server.kernel.goOn();
    }

    @Test
    void locksOfExpiredClientsTakeNoRoom() {
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
        assertEquals(1, server.state.snapshots().locks(99).size());
    }

    @Test
    void locksOfExpiredClientsTakeNoRoomInAFile() {
        int locks = 0;
        for (int client = 0; client < 4; client++) {
            locks += most(server.client("gone" + client), 0, 1 + client);
        }
        assertEquals(RANGES_OF_FILE / 4 - 2, locks);
        server.refuses(Nfs4Status.DELAY, lock(honest, 0, 0));
        server.pass(LEASE / 2);
        honest.renew();
        server.pass(LEASE / 2 + SECOND);
        server.ok(lock(honest, 0, 0));
        assertEquals(1, server.state.snapshots().locks(99).size());
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
        assertEquals(StateServer.name("owner60"), told.getFirst().owner().name());
    }
}
