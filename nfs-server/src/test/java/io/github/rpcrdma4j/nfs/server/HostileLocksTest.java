package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.lock.Nlm;
import io.github.rpcrdma4j.nfs.lock.NlmCall;
import io.github.rpcrdma4j.nfs.lock.NlmProcedure;
import io.github.rpcrdma4j.nfs.lock.NlmStatus;
import io.github.rpcrdma4j.nfs.lock.Nsm;
import io.github.rpcrdma4j.nfs.lock.NsmCall;
import io.github.rpcrdma4j.nfs.state.limit.StateLimits;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.sim.Seeds;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: hosts that send any calls of NLM and NSM, and notices of restarts in the names of others,
 * take no lock of an honest host, and no more than their share. Method: hostile hosts by turns,
 * each answer checked; the honest hosts hold locks all the time, and lock and unlock beside that.
 */
class HostileLocksTest {
    private static final int ROUNDS = Seeds.rounds(4000);
    private static final int HONEST_EVERY = 50;
    private static final int FILES = 4;

    /** More threads than these are of hostile hosts. Those that call hosts are virtual. */
    private static final int THREADS_MORE = 64;

    private static final String HONEST = "198.51.100.1";
    private static final String[] HOSTILE = {"127.0.0.2", "127.0.0.3", "::1"};

    /** The number of the start of the victim. */
    private static final int START = 5;

    private Random random;
    private TestServer server;
    private CalledHost called;

    /** It holds a lock, and is not called. */
    private LockingHost honest;

    /** It holds a lock, and has a monitor that answers. Others tell that it has restarted. */
    private LockingHost victim;

    private LockingHost worker;

    @ParameterizedTest
    @MethodSource("io.github.rpcrdma4j.nfs.directories.TestDirectory#kinds")
    void honestHostsKeepTheirLocksAmongHostileOnes(TestDirectory.Kind kind) throws Exception {
        random = new Random(Seeds.one());
        try (var failures = new LoggedFailures();
                var host = new CalledHost();
                var testDirectory = TestDirectory.of(kind);
                var served = TestServer.of(testDirectory, Nfs4Options.DEFAULT, host.port())) {
            called = host;
            server = served;
            host.start = START;
            var calls = new RawCalls(served, random, failures);
            var hosts = hosts(calls);
            int threads = ManagementFactory.getThreadMXBean().getThreadCount();
            for (int i = 0; i < ROUNDS; i++) {
                if (random.nextInt(20) == 0) {
                    forge();
                } else {
                    hosts.get(random.nextInt(hosts.size())).step();
                }
                if (i % HONEST_EVERY == 0) {
                    work(i);
                    failures.assertNone("round " + i);
                    called.questions.clear();
                }
            }
            work(ROUNDS);
            int more = ManagementFactory.getThreadMXBean().getThreadCount() - threads;
            assertTrue(more <= THREADS_MORE, more + " more threads");
            report(calls, hosts);
        }
    }

    /** Makes the files, and has honest hosts lock. */
    private List<HostileHost> hosts(RawCalls calls) throws Exception {
        var handles = new ArrayList<byte[]>();
        var shortHandles = new ArrayList<byte[]>();
        var version2 = Nfs2Client.of(server);
        for (int i = 0; i < FILES; i++) {
            handles.add(server.create(server.root(), "file" + i).bytes());
            shortHandles.add(version2.lookup(version2.root(), "file" + i).bytes());
        }
        byte[] own = server.create(server.root(), "honest").bytes();
        worker = LockingHost.of(server, HONEST, own).withName("worker");
        honest = LockingHost.of(server, HONEST, handles.getFirst()).withName("honest");
        victim =
                LockingHost.of(server, CalledHost.ADDRESS, handles.getFirst())
                        .withName("victim")
                        .withState(START);
        assertEquals(NlmStatus.GRANTED, honest.lock(true, 10, 10));
        assertEquals(NlmStatus.GRANTED, victim.lock(true, 50, 10));
        var hosts = new ArrayList<HostileHost>();
        for (var each : HOSTILE) {
            hosts.add(new HostileHost(server, calls, random, each, shortHandles, handles));
        }
        return hosts;
    }

    /** Tells that the victim has restarted: in a datagram, or as a user of its host. */
    private void forge() throws Exception {
        var names = List.of("victim", "VICTIM", "victim.example.org", CalledHost.ADDRESS, "", "x");
        var name = LockingHost.name(names.get(random.nextInt(names.size())));
        int state = random.nextBoolean() ? random.nextInt(9) : random.nextInt();
        if (random.nextBoolean()) {
            int port = random.nextBoolean() ? 1023 : 1024 + random.nextInt(60_000);
            var from = new InetSocketAddress(InetAddress.ofLiteral(CalledHost.ADDRESS), port);
            server.datagram(from, new NsmCall.Notify(name, state));
            return;
        }
        server.moveTo(CalledHost.ADDRESS, 1024 + random.nextInt(60_000));
        var notice = new NsmCall.Notify(name, state);
        server.reply(1, Nsm.PROGRAM, 1, 6, new Credential.None(), notice::encode);
        var freeing = new NlmCall.FreeAll(name, state);
        server.reply(
                2,
                Nlm.PROGRAM,
                4,
                NlmProcedure.FREE_ALL.number(),
                LockingHost.ROOT,
                out -> freeing.encode(4, out));
    }

    /** The honest hosts have what they had, and get what they want. */
    private void work(int round) throws Exception {
        String what = "round " + round;
        var other = honest.withName("other");
        assertHeld(honest, other.test(true, 10, 10).holder().orElseThrow().owner(), what);
        assertHeld(victim, other.test(true, 50, 10).holder().orElseThrow().owner(), what);
        assertEquals(NlmStatus.GRANTED, worker.lock(true, round, 10), what);
        assertEquals(NlmStatus.DENIED, worker.withName("other").lock(true, round, 1), what);
        assertEquals(NlmStatus.GRANTED, worker.unlock(0, 0), what);
    }

    private static void assertHeld(LockingHost host, Object owner, String what) {
        assertEquals(host.range(0, 0).owner(), owner, what);
    }

    /** Checks that no host has more than its share, and says what happened. */
    private void report(RawCalls calls, List<HostileHost> hosts) {
        var limits = StateLimits.forMemory(Runtime.getRuntime().maxMemory());
        var all = server.nfs.administration();
        int clients = all.clients(Integer.MAX_VALUE).size();
        int locks = all.locks(Integer.MAX_VALUE).size();
        int opens = all.opens(Integer.MAX_VALUE).size();
        // Three hosts: a quarter, a quarter of three quarters, and so on; and the honest ones.
        double taken = 1 - Math.pow(0.75, hosts.size());
        assertTrue(clients <= taken * limits.clients() + 5, clients + " clients");
        assertTrue(locks <= taken * limits.locks().ranges() + 5, locks + " ranges");
        assertTrue(opens * 1024L <= taken * limits.stateBytes(), opens + " opens");
        var answers = new TreeMap<NlmStatus, Integer>();
        hosts.forEach(each -> each.answers.forEach((k, v) -> answers.merge(k, v, Integer::sum)));
        for (var each :
                List.of(
                        NlmStatus.GRANTED,
                        NlmStatus.DENIED,
                        NlmStatus.BLOCKED,
                        NlmStatus.STALE_FH,
                        NlmStatus.FBIG)) {
            assertTrue(answers.containsKey(each), () -> each + " is not among " + answers);
        }
        System.out.printf(
                "%d rounds, %d answered, %d malformed, %d postponed; left: %d hosts, %d ranges,"
                        + " %d shares; answers %s%n",
                ROUNDS,
                calls.answered,
                calls.garbage,
                calls.postponed,
                clients,
                locks,
                opens,
                answers);
    }
}
