package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.state.limit.StateLimits;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.sim.Seeds;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Goal: hosts that take clients, sessions, opens and locks, and abuse sequences, take what is
 * theirs, and an honest client goes on. Method: hostile hosts by turns, each answer checked.
 */
class HostileSessionsTest {
    private static final int ROUNDS = Seeds.rounds(2000);
    private static final int HONEST_EVERY = 50;

    /** The clients that vanish make room in a long run. */
    static final Nfs4Options SHORT_LEASE =
            new Nfs4Options(
                    Duration.ofSeconds(Nfs4Options.LEASE_SECONDS_MIN),
                    Duration.ofSeconds(Nfs4Options.LEASE_SECONDS_MIN),
                    Optional.empty(),
                    "2049");

    private static final String HONEST = "198.51.100.1";

    private long longest;

    @Test
    void anHonestClientGoesOnAmongHostileOnes() throws Exception {
        var random = new Random(Seeds.one());
        try (var failures = new LoggedFailures();
                var testDirectory = TestDirectory.of(TestDirectory.Kind.BASIC);
                var server = TestServer.of(testDirectory, SHORT_LEASE)) {
            for (int i = 0; i < 4; i++) {
                Files.createFile(testDirectory.root().resolve("file" + i));
            }
            server.moveTo(HONEST);
            var honest = CompoundClient.of(server, "honest");
            var peers =
                    List.of(
                            new HostilePeer(server, random, "203.0.113.1", honest),
                            new HostilePeer(server, random, "203.0.113.2", honest),
                            new HostilePeer(server, random, "2001:db8::1", honest));
            for (int i = 0; i < ROUNDS; i++) {
                peers.get(random.nextInt(peers.size())).step();
                if (i % HONEST_EVERY == 0) {
                    server.moveTo(HONEST);
                    work(honest, i);
                    failures.assertNone("round " + i);
                    assertEquals(0, server.pool.leased());
                }
            }
            server.moveTo(HONEST);
            work(CompoundClient.of(server, "newcomer"), ROUNDS);
            report(server, peers);
        }
    }

    /** Makes a file, writes, locks, reads and removes it. */
    private void work(CompoundClient client, int round) throws Exception {
        long start = System.nanoTime();
        var name = "honest" + round;
        var opened =
                client.compound(
                        Nfs4Calls.at(
                                "",
                                Nfs4Calls.create(name),
                                Nfs4Calls.write(StateId.CURRENT, 0, "text"),
                                Nfs4Calls.lock(StateId.CURRENT, "locker", LockType.WRITE, 0, 9)));
        requireOk(opened);
        var results = opened.results();
        var open = ((StateResult.Open) results.get(results.size() - 3)).open();
        var lock = ((LockResult.Lock) results.getLast()).lock();
        requireOk(
                client.compound(
                        Nfs4Calls.at(
                                name,
                                Nfs4Calls.read(lock, 0, 4),
                                Nfs4Calls.unlock(lock, 0, 9),
                                Nfs4Calls.close(open))));
        requireOk(client.compound(Nfs4Calls.at("", Nfs4Calls.remove(name))));
        longest = Math.max(longest, System.nanoTime() - start);
    }

    private static void requireOk(CompoundResult result) {
        assertEquals(Nfs4Status.OK, result.status(), result.results()::toString);
    }

    /** Checks that no host has more than its share, and says what happened. */
    private void report(TestServer server, List<HostilePeer> peers) {
        var limits = StateLimits.forMemory(Runtime.getRuntime().maxMemory());
        var all = server.nfs.administration();
        int clients = all.clients(Integer.MAX_VALUE).size();
        int sessions = all.sessions(Integer.MAX_VALUE).size();
        int opens = all.opens(Integer.MAX_VALUE).size();
        long slots = all.sessions(Integer.MAX_VALUE).stream().mapToLong(each -> each.slots()).sum();
        // Three hosts: a quarter, a quarter of three quarters, and so on; and the honest ones.
        double taken = 1 - Math.pow(0.75, peers.size());
        double most = taken * (limits.clients() + limits.unconfirmedClients());
        assertTrue(clients <= most + 2, clients + " clients");
        assertTrue(slots * limits.cachedBytes() <= taken * limits.sessionBytes(), slots + " slots");
        assertTrue(opens * 1024L <= taken * limits.stateBytes(), opens + " opens");
        var answers = new TreeMap<Nfs4Status, Integer>();
        peers.forEach(each -> each.answers.forEach((k, v) -> answers.merge(k, v, Integer::sum)));
        long vanished = peers.stream().mapToLong(each -> each.vanished).sum();
        System.out.printf(
                "%d rounds, %d clients vanished; left: %d clients, %d sessions, %d slots, %d opens;"
                        + " the honest client waited %.1f ms at most; answers %s%n",
                ROUNDS, vanished, clients, sessions, slots, opens, longest / 1e6, answers);
    }
}
