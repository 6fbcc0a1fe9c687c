package io.github.rpcrdma4j.cli.crowd;

import io.github.rpcrdma4j.cli.crowd.HostileCrowd.Standing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Goal: crowds of hostile clients do not keep an honest client out, and leave nothing behind.
 * Method: server, crowd and honest client are separate processes. The latencies during an attack
 * are compared with those just before it, and the server's resources after it with those before.
 */
public final class CrowdRuns {
    private static final Duration WARM_UP = Duration.ofSeconds(8);
    private static final Duration QUIET = Duration.ofSeconds(15);
    private static final Duration GATHER_MAX = Duration.ofSeconds(60);
    private static final Duration HOLD = Duration.ofSeconds(30);
    private static final Duration SHORT_HOLD = Duration.ofSeconds(10);
    private static final Duration SETTLE_MAX = Duration.ofSeconds(90);
    private static final Duration CHECK_INTERVAL = Duration.ofSeconds(5);
    private static final Duration BACK_MAX = Duration.ofSeconds(5);
    private static final long TURN_NANOS = Duration.ofMillis(100).toNanos();

    /** Descriptors of newcomers that happen to be connected at the moment of counting. */
    private static final int DESCRIPTORS_MARGIN = 8;

    /** Threads that the JVM starts and ends by itself: compilers, carriers. */
    private static final int THREADS_MARGIN = 6;

    /** Heap for information about clients, and for classes used for the first time. */
    private static final long HEAP_MARGIN_KIB = 8 << 10;

    /** Memory that the C library keeps in per-thread arenas, and compiled code. */
    private static final long RESIDENT_MARGIN_KIB = 64 << 10;

    /** The whole heap is resident from the start, so that growth shows other memory. */
    private static final String HEAP = "-Xms512m -Xmx512m -XX:+AlwaysPreTouch";

    private static final int FEW_DESCRIPTORS = 110;

    private final Path home;
    private final Path directory;
    private final Checks checks = new Checks();

    /** Peers of a crowd that connect per second. */
    private final int perSecond;

    private CrowdRuns(Path home, Path directory, int perSecond) {
        this.home = home;
        this.directory = directory;
        this.perSecond = perSecond;
    }

    /** Takes the home of the project, the connection rate per second, and the runs: a, b, c. */
    public static void main(String[] args) throws Exception {
        var directory = Files.createTempDirectory("rpcrdma4j-crowds-");
        var runs = new CrowdRuns(Path.of(args[0]), directory, Integer.parseInt(args[1]));
        try {
            for (var run : List.of(args).subList(2, args.length)) {
                switch (run) {
                    case "a" -> runs.manyConnections();
                    case "b" -> runs.fewDescriptors();
                    case "c" -> runs.manyAddresses();
                    default -> throw new IllegalArgumentException("there is no run " + run);
                }
            }
        } finally {
            try (var files = Files.walk(directory)) {
                for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
        int failed = runs.checks.failed();
        System.out.println(failed == 0 ? "All checks hold." : failed + " checks fail.");
        System.exit(failed == 0 ? 0 : 1);
    }

    private void manyConnections() throws Exception {
        checks.begin("a", "5000 silent, 1000 stalled, 2000 half-open connections of 40 addresses");
        try (var server = new CrowdServer(home, directory, "127.0.0.1", 0, HEAP)) {
            var wanted = wanted(server, "127.0.0.1", "127.0.1.1", 40, 5000, 1000, 2000, 0);
            attack(server, "127.0.0.1", wanted);
        }
    }

    private void manyAddresses() throws Exception {
        checks.begin("c", "10000 silent connections of as many addresses of one /64");
        try (var server = new CrowdServer(home, directory, "[fd00:1::1]", 0, HEAP)) {
            var wanted = wanted(server, "fd00:1::1", "fd00:2::1", 10_000, 10_000, 0, 0, 0);
            attack(server, "fd00:1::1", wanted);
        }
    }

    /** Describes a crowd for a server; see {@link HostileCrowd.Wanted}. */
    private HostileCrowd.Wanted wanted(
            CrowdServer server,
            String address,
            String firstAddress,
            int addresses,
            int silent,
            int stalled,
            int halfOpen,
            int tcp) {
        return new HostileCrowd.Wanted(
                address,
                server.rdmaPort(),
                server.tcpPort(),
                firstAddress,
                addresses,
                silent,
                stalled,
                halfOpen,
                tcp,
                perSecond);
    }

    private static Child honest(String address, CrowdServer server) throws IOException {
        return Child.start(
                HonestClient.class,
                List.of("-Xmx256m"),
                List.of(address, server.rdmaPort(), server.tcpPort()));
    }

    private static Child crowd(HostileCrowd.Wanted wanted) throws IOException {
        return Child.start(HostileCrowd.class, List.of("-Xmx512m"), wanted.arguments());
    }

    private static HonestClient.Phase phase(Child honest) throws IOException {
        return HonestClient.Phase.decode(honest.ask("and now?"));
    }

    private static Standing standing(Child crowd) throws IOException {
        return Standing.decode(crowd.ask("and now?"));
    }

    private static void pass(Duration time) {
        await(() -> false, time);
    }

    /**
     * Waits for a condition up to a limit, and returns the time taken. The condition may still be
     * false.
     */
    private static Duration await(BooleanSupplier wanted, Duration most) {
        long start = System.nanoTime();
        while (!wanted.getAsBoolean() && System.nanoTime() - start < most.toNanos()) {
            LockSupport.parkNanos(TURN_NANOS);
        }
        return Duration.ofNanos(System.nanoTime() - start);
    }

    private void attack(CrowdServer server, String address, HostileCrowd.Wanted wanted)
            throws Exception {
        try (var honest = honest(address, server)) {
            pass(WARM_UP);
            var before = server.held();
            long buffers = server.reported("buffers");
            phase(honest);
            pass(QUIET);
            var quiet = phase(honest);
            checks.print("before, over RDMA: " + quiet.rdma().words());
            checks.print("before, over TCP: " + quiet.tcp().words());
            try (var crowd = crowd(wanted)) {
                var start = Used.now(server, crowd, honest);
                gather(crowd, wanted);
                var come = Used.now(server, crowd, honest);
                checks.pace("while they connect", phase(honest), quiet);
                checks.print("processors while they connect: " + come.since(start));
                pass(HOLD);
                var held = phase(honest);
                var stayed = Used.now(server, crowd, honest).since(come);
                reportStanding(server, standing(crowd));
                checks.pace("while they stay", held, quiet);
                checks.print("processors while they stay: " + stayed);
            }
            settle(server, before, buffers);
            phase(honest);
            pass(SHORT_HOLD);
            checks.pace("afterwards", phase(honest), quiet);
        }
        requireAlive(server);
    }

    /** The processor time that each process has used until one moment. */
    private record Used(long at, Duration server, Duration crowd, Duration honest) {
        static Used now(CrowdServer server, Child crowd, Child honest) {
            return new Used(System.nanoTime(), server.used(), crowd.used(), honest.used());
        }

        String since(Used start) {
            return String.format(
                    "server %.1f s, crowd %.1f s, honest client %.1f s within %.1f s on %d",
                    server.minus(start.server).toMillis() / 1e3,
                    crowd.minus(start.crowd).toMillis() / 1e3,
                    honest.minus(start.honest).toMillis() / 1e3,
                    (at - start.at) / 1e9,
                    Runtime.getRuntime().availableProcessors());
        }
    }

    private void gather(Child crowd, HostileCrowd.Wanted wanted) throws IOException {
        long start = System.nanoTime();
        var standing = standing(crowd);
        while (standing.left() > 0 && System.nanoTime() - start < GATHER_MAX.toNanos()) {
            pass(Duration.ofNanos(TURN_NANOS));
            standing = standing(crowd);
        }
        checks.check(
                standing.left() == 0,
                String.format(
                        "%d of %d peers have connected within %.1f s",
                        wanted.count() - standing.left(),
                        wanted.count(),
                        (System.nanoTime() - start) / 1e9));
    }

    private void reportStanding(CrowdServer server, Standing standing) {
        checks.print(
                String.format(
                        "at the end the crowd has %d silent, %d stalled, %d half-open and %d TCP"
                                + " connections, and lost or was refused %d connections",
                        standing.silent(),
                        standing.stalled(),
                        standing.halfOpen(),
                        standing.tcp(),
                        standing.ended()));
        checks.print(
                String.format(
                        "the server has %d connections of %d clients, %d buffers, %d threads and %d"
                                + " descriptors; it refused %d, rejected %d before a request, found"
                                + " %d stalled",
                        server.reported("connections"),
                        server.reported("clients"),
                        server.reported("buffers"),
                        server.reported("threads"),
                        server.reported("descriptors"),
                        server.reported("connectionsRefused"),
                        server.reported("rejectedBeforeRequest"),
                        server.reported("peersStalled")));
    }

    private void settle(CrowdServer server, CrowdServer.Held before, long buffers)
            throws IOException, InterruptedException {
        long start = System.nanoTime();
        var after = server.held();
        while (!after.isWithin(margin(before)) && since(start).compareTo(SETTLE_MAX) < 0) {
            pass(CHECK_INTERVAL);
            after = server.held();
        }
        var taken = since(start);
        checks.check(
                after.descriptors() <= before.descriptors() + DESCRIPTORS_MARGIN,
                String.format(
                        "descriptors: %d before, %d after %.1f s; at most %d more are allowed",
                        before.descriptors(),
                        after.descriptors(),
                        taken.toMillis() / 1e3,
                        DESCRIPTORS_MARGIN));
        checks.check(
                after.threads() <= before.threads() + THREADS_MARGIN,
                String.format(
                        "threads: %d before, %d after; at most %d more are allowed",
                        before.threads(), after.threads(), THREADS_MARGIN));
        checks.check(
                after.heapKib() <= before.heapKib() + HEAP_MARGIN_KIB,
                String.format(
                        "heap: %d KiB before, %d KiB after; at most %d KiB more are allowed",
                        before.heapKib(), after.heapKib(), HEAP_MARGIN_KIB));
        checks.check(
                after.residentKib() <= before.residentKib() + RESIDENT_MARGIN_KIB,
                String.format(
                        "resident: %d KiB before, %d KiB after; at most %d KiB more are allowed",
                        before.residentKib(), after.residentKib(), RESIDENT_MARGIN_KIB));
        checks.print(
                String.format("buffers: %d before, %d after", buffers, server.reported("buffers")));
    }

    private static Duration since(long start) {
        return Duration.ofNanos(System.nanoTime() - start);
    }

    private static CrowdServer.Held margin(CrowdServer.Held before) {
        return new CrowdServer.Held(
                before.residentKib() + RESIDENT_MARGIN_KIB,
                before.heapKib() + HEAP_MARGIN_KIB,
                before.descriptors() + DESCRIPTORS_MARGIN,
                before.threads() + THREADS_MARGIN);
    }

    private static boolean isSettled(CrowdServer server, CrowdServer.Held before) {
        try {
            return server.count("fd") <= before.descriptors() + DESCRIPTORS_MARGIN
                    && server.count("task") <= before.threads() + THREADS_MARGIN;
        } catch (IOException _) {
            // The server has ended, which another check reports.
            return true;
        }
    }

    private void requireAlive(CrowdServer server) {
        checks.check(server.isAlive(), "the server is alive");
        server.lastLines().stream()
                .filter(line -> !line.isBlank() && !line.startsWith("\t"))
                .forEach(line -> checks.print("the server printed: " + line));
    }

    /**
     * Run b: some connections of the honest client exist before the crowd, and newcomers come
     * during it.
     */
    private void fewDescriptors() throws Exception {
        checks.begin("b", "500 connections to a server with " + FEW_DESCRIPTORS + " descriptors");
        try (var server = new CrowdServer(home, directory, "127.0.0.1", FEW_DESCRIPTORS, HEAP);
                var honest = honest("127.0.0.1", server)) {
            pass(SHORT_HOLD);
            phase(honest);
            var before = server.held();
            var wanted = wanted(server, "127.0.0.1", "127.0.1.1", 5, 125, 0, 125, 250);
            try (var crowd = crowd(wanted)) {
                gather(crowd, wanted);
                phase(honest);
                pass(SHORT_HOLD);
                var held = phase(honest);
                reportStanding(server, standing(crowd));
                checks.print("while they stay, over RDMA: " + held.rdma().words());
                checks.print("while they stay, over TCP: " + held.tcp().words());
                checks.print("while they stay, newcomers over RDMA: " + held.newOverRdma().words());
                checks.print("while they stay, newcomers over TCP: " + held.newOverTcp().words());
            }
            answersAgain(server, before);
        }
    }

    private void answersAgain(CrowdServer server, CrowdServer.Held before) throws Exception {
        // A new client has no connections, calls or threads from before.
        try (var late = honest("127.0.0.1", server)) {
            var seen = new HonestClient.Phase[1];
            var taken =
                    await(
                            () -> {
                                seen[0] = phaseOf(late);
                                return seen[0].newOverRdma().calls() > 0
                                        && seen[0].newOverTcp().calls() > 0;
                            },
                            BACK_MAX);
            checks.check(
                    taken.compareTo(BACK_MAX) < 0,
                    String.format(
                            "a new client is answered over RDMA and TCP %.1f s after the end,"
                                    + " with its start",
                            taken.toMillis() / 1e3));
            phase(late);
            pass(BACK_MAX);
            var after = phase(late);
            answered("RDMA", after.rdma());
            answered("TCP", after.tcp());
            answered("RDMA, newcomers", after.newOverRdma());
            answered("TCP, newcomers", after.newOverTcp());
        }
        await(() -> isSettled(server, before), SETTLE_MAX);
        int descriptors = server.count("fd");
        checks.check(
                descriptors <= before.descriptors() + DESCRIPTORS_MARGIN,
                "descriptors: " + before.descriptors() + " before, " + descriptors + " after");
        requireAlive(server);
    }

    private void answered(String over, Latencies taken) {
        checks.check(
                taken.calls() > 0 && taken.failed() == 0,
                "afterwards, GETATTR over " + over + ": " + taken.words());
    }

    private static HonestClient.Phase phaseOf(Child honest) {
        try {
            return phase(honest);
        } catch (IOException broken) {
            throw new AssertionError(broken);
        }
    }
}
