package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.state.limit.StateLimits;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.LeaseArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments.Open;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.sim.Seeds;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Goal: hosts that take clients, opens and locks of version 4.0, and name what is of others, take
 * what is theirs, and an honest client keeps its locks. Method: hostile hosts by turns; the honest
 * client holds a lock all the time, and locks and unlocks beside that.
 */
class HostileLeasesTest {
    private static final int ROUNDS = Seeds.rounds(2000);
    private static final int HONEST_EVERY = 50;

    private static final String HONEST = "198.51.100.1";
    private static final String LOCKER = "locker";

    private TestServer server;
    private LeasedClient honest;
    private StateId open;
    private StateId lock;
    private int lockSequence;

    @Test
    void anHonestClientKeepsItsLocksAmongHostileOnes() throws Exception {
        var random = new Random(Seeds.one());
        try (var failures = new LoggedFailures();
                var testDirectory = TestDirectory.of(TestDirectory.Kind.BASIC);
                var served = TestServer.of(testDirectory, HostileSessionsTest.SHORT_LEASE)) {
            server = served;
            for (var each : List.of("file0", "file1", "file2", "file3", "honest")) {
                Files.createFile(testDirectory.root().resolve(each));
            }
            server.moveTo(HONEST);
            honest = LeasedClient.of(server, "honest");
            open = honest.open("honest", Open.BOTH, 0);
            lock = honest.lock("honest", open, LOCKER, 0, 10);
            var calls = new RawCalls(server, random, failures);
            var peers = new ArrayList<HostileLeaseholder>();
            for (var address : List.of("127.0.0.2", "127.0.0.3", "::1")) {
                peers.add(new HostileLeaseholder(server, calls, random, address, honest, LOCKER));
            }
            for (int i = 0; i < ROUNDS; i++) {
                peers.get(random.nextInt(peers.size())).step();
                if (i % HONEST_EVERY == 0) {
                    work();
                    failures.assertNone("round " + i);
                    assertEquals(0, server.pool.leased());
                }
            }
            work();
            report(peers);
            System.out.printf("%d answered, %d malformed%n", calls.answered, calls.garbage);
        }
    }

    /** The honest client has what it had, and gets what it wants. */
    private void work() throws Exception {
        server.moveTo(HONEST);
        honest.last(new LeaseArguments.Renew(honest.id));
        var test = new LockArguments.LockT(LockType.READ, 0, 10, honest.owner("other"));
        assertEquals(Nfs4Status.DENIED, honest.status(at("honest", test)));
        var locker = new LockArguments.Locker.Existing(lock, ++lockSequence);
        var more = new LockArguments.Lock(LockType.WRITE, false, 20, 10, locker);
        lock = ((LockResult.Lock) honest.last(at("honest", more))).lock();
        honest.last(at("honest", Nfs4Calls.write(lock, 0, "text"), Nfs4Calls.read(lock, 0, 4)));
        var less = new LockArguments.LockU(LockType.WRITE, ++lockSequence, lock, 20, 10);
        lock = ((LockResult.LockU) honest.last(at("honest", less))).lock();
    }

    /** Checks that no host has more than its share, and says what happened. */
    private void report(List<HostileLeaseholder> peers) {
        var limits = StateLimits.forMemory(Runtime.getRuntime().maxMemory());
        var all = server.nfs.administration();
        int clients = all.clients(Integer.MAX_VALUE).size();
        int opens = all.opens(Integer.MAX_VALUE).size();
        int locks = all.locks(Integer.MAX_VALUE).size();
        // Three hosts: a quarter, a quarter of three quarters, and so on; and the honest one.
        double taken = 1 - Math.pow(0.75, peers.size());
        double most = taken * (limits.clients() + limits.unconfirmedClients());
        assertTrue(clients <= most + 1, clients + " clients");
        assertTrue(opens * 1024L <= taken * limits.stateBytes(), opens + " opens");
        assertTrue(locks <= taken * limits.locks().ranges() + 2, locks + " ranges");
        var answers = new TreeMap<Nfs4Status, Integer>();
        peers.forEach(each -> each.answers.forEach((k, v) -> answers.merge(k, v, Integer::sum)));
        for (var each :
                List.of(
                        Nfs4Status.OK,
                        Nfs4Status.CLID_INUSE,
                        Nfs4Status.STALE_CLIENTID,
                        Nfs4Status.BAD_STATEID,
                        Nfs4Status.BAD_SEQID)) {
            assertTrue(answers.containsKey(each), () -> each + " is not among " + answers);
        }
        System.out.printf(
                "%d rounds; left: %d clients, %d opens, %d ranges; answers %s%n",
                ROUNDS, clients, opens, locks, answers);
    }
}
