package io.github.rpcrdma4j.nfs.client.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.sim.SimOptions;
import io.github.rpcrdma4j.sim.SimWorld;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Two clients of the product at the state of its server, in one virtual time. What goes wrong, and
 * when, depends on a seed.
 */
final class SimRun {
    private static final int CLIENTS = 2;

    /** How long things go wrong at most. */
    private static final long FAULTS_NANOS = 120 * SimServer.SECOND;

    /** No run takes longer. */
    private static final long NANOS_MAX = 3600 * SimServer.SECOND;

    /** By then all is well again, after the last fault. */
    private static final long HEALED_NANOS = 400 * SimServer.SECOND;

    private final SimWorld world;
    private final RandomGenerator random;
    private final SimThreads threads;
    private final SimFaults faults;
    private final SimServer server;
    private final List<SimConnector> networks = new ArrayList<>();
    private final List<Nfs4Service> services = new ArrayList<>();
    private final List<SimJob> jobs = new ArrayList<>();
    private final List<Thread> running = new ArrayList<>();
    private SimFiles.SimFile counter;

    /** The first failure; null if there is none. */
    private Throwable failure;

    /** What happened, for people. */
    private final StringBuilder story = new StringBuilder();

    /**
     * @param minorVersions one of them is used
     * @param traces whether the story tells of each call, too
     */
    SimRun(long seed, List<Integer> minorVersions, boolean traces) {
        world = new SimWorld(seed, SimOptions.CALM);
        random = world.random();
        threads = new SimThreads(world);
        faults = new SimFaults(random, minorVersions);
        server = new SimServer(world, faults, traces ? this::note : _ -> {});
    }

    String story() {
        return story.toString();
    }

    void run() {
        world.after(
                NANOS_MAX,
                () -> {
                    throw new AssertionError("some call does not end: " + threads.standing());
                });
        threads.run(
                () ->
                        failing(
                                () -> {
                                    begin();
                                    finish();
                                }));
        // The world stands still behind the last thread.
        requireSuccess();
    }

    /** What may fail. */
    private interface Work {
        void run() throws IOException, InterruptedException;
    }

    /** Does some work. Its failure ends the run. */
    private void failing(Work work) {
        try {
            work.run();
        } catch (IOException | InterruptedException | RuntimeException | Error failed) {
            failure = failure == null ? failed : failure;
            world.after(0, this::requireSuccess);
        }
    }

    private void requireSuccess() {
        if (failure != null) {
            throw new AssertionError(failure.getMessage(), failure);
        }
    }

    private void note(String line) {
        story.append(world.nanoTime() / 1_000_000).append(" ms: ").append(line).append('\n');
    }

    private void begin() throws IOException, InterruptedException {
        counter = server.files.make(SimJob.COUNTER);
        counter.write(0, new byte[Long.BYTES]);
        counter.commit();
        server.underLocks = counter.id;
        var options =
                ClientOptions.DEFAULT
                        .withTimeout(Duration.ofSeconds(faults.one(5, 10, 30)))
                        .withRetry(Duration.ofSeconds(faults.one(0, 30, 120)))
                        .withVersion(
                                switch (faults.minorVersion) {
                                    case 0 -> NfsVersion.VERSION_4_0;
                                    case 1 -> NfsVersion.VERSION_4_1;
                                    default -> NfsVersion.VERSION_4_2;
                                });
        note(
                "lease "
                        + faults.leaseSeconds
                        + " s, grace "
                        + faults.graceSeconds
                        + " s, "
                        + faults.limits.slotsOfSession()
                        + " slots, "
                        + options);
        for (int i = 0; i < CLIENTS; i++) {
            var network = new SimConnector(server, threads, "host " + i);
            networks.add(network);
            var name = OpaqueName.of(("client " + i).getBytes(StandardCharsets.UTF_8));
            var service =
                    Nfs4Service.connect(
                            network, options, new ClientOwner(random.nextLong(), name), threads);
            services.add(service);
            var root = service.mount(PathName.of("/"));
            if (faults.minorVersion == 0) {
                // It opens files by their names.
                service.lookup(new RemotePlace(root, SimJob.COUNTER), "lookup");
            }
            for (int j = 0; j <= random.nextInt(2); j++) {
                start(service, root, "job " + i + "." + j);
            }
        }
        faults.begin();
        for (int i = 0; i <= random.nextInt(5); i++) {
            world.after(random.nextLong(FAULTS_NANOS), this::strike);
        }
        running.forEach(Thread::start);
    }

    private void start(Nfs4Service service, FileHandle root, String name) {
        var job =
                new SimJob(
                        threads,
                        random,
                        service,
                        root,
                        Nfs4Values.handle(SimFiles.handle(counter.id)),
                        name,
                        story);
        jobs.add(job);
        running.add(threads.unstarted(name, () -> failing(job::run)));
    }

    /** Something goes wrong. */
    private void strike() {
        if (faults.isOver()) {
            return;
        }
        var network = networks.get(random.nextInt(CLIENTS));
        switch (random.nextInt(8)) {
            case 0, 1 -> restart();
            case 2 -> {
                long nanos = random.nextLong(3L * faults.leaseSeconds * SimServer.SECOND);
                note("dark for " + nanos / 1_000_000 + " ms: " + network.host);
                network.darkUntil = server.now() + nanos;
                if (random.nextBoolean()) {
                    network.newest.cut("the network is down");
                }
            }
            case 3 -> revoke();
            case 4 -> {
                note("cut: " + network.host);
                network.newest.cut("the network is down");
            }
            case 5 -> {
                var thread = running.get(random.nextInt(running.size()));
                note("interrupt: " + thread.getName());
                thread.interrupt();
            }
            case 6 -> {
                int highest = random.nextInt(faults.limits.slotsOfSession());
                note("no slot behind " + highest);
                server.recall(highest);
            }
            case 7 -> {
                note("what is not on storage is lost");
                server.loseUnstable();
            }
            default -> throw new IllegalStateException();
        }
    }

    private void restart() {
        boolean hasRecords = random.nextInt(3) > 0;
        boolean hasOtherScope = random.nextInt(6) == 0;
        long down = random.nextLong(5 * SimServer.SECOND);
        note("restart, records " + hasRecords + ", other scope " + hasOtherScope);
        server.restart(down, hasRecords, hasOtherScope);
        if (random.nextInt(3) == 0) {
            world.after(down + random.nextLong(5 * SimServer.SECOND), this::restart);
        }
    }

    private void revoke() {
        if (server.isDown) {
            return;
        }
        var clients = server.state.snapshots().clients(CLIENTS, server.now());
        if (clients.isEmpty()) {
            return;
        }
        var client = clients.get(random.nextInt(clients.size()));
        note("an administrator ends " + client.name());
        server.run(server.state.revocations().client(client.clientId(), server.now()));
    }

    private void finish() throws IOException, InterruptedException {
        for (var each : running) {
            each.join();
        }
        faults.end();
        networks.forEach(each -> each.darkUntil = 0);
        note("all is well");
        long end = server.now() + HEALED_NANOS;
        boolean isHealed = isHealed();
        while (!isHealed && server.now() < end) {
            threads.sleep(SimServer.SECOND);
            isHealed = isHealed();
        }
        assertTrue(isHealed, this::unhealed);
        long value = ByteBuffer.wrap(counter.content).order(ByteOrder.nativeOrder()).getLong();
        long told = jobs.stream().mapToInt(each -> each.raised).sum();
        long maybe = jobs.stream().mapToInt(each -> each.maybeRaised).sum();
        assertTrue(
                told <= value && value <= told + maybe,
                () -> "the counter is " + value + ", raised " + told + " times, maybe " + maybe);
        jobs.forEach(each -> each.check(server.files));
        assertEquals(0, jobs.stream().mapToInt(each -> each.unknownFiles).sum(), "unknown files");
        requireCompleteClaims();
        services.forEach(Nfs4Service::close);
        var left = server.state.snapshots().counts();
        assertEquals(0, left.sessions(), "sessions are left");
    }

    /** Each client that has a session has told once that it claims nothing more. */
    private void requireCompleteClaims() {
        for (var each : server.state.snapshots().sessions(9)) {
            assertEquals(1, server.completed.get(each.clientId()), "RECLAIM_COMPLETE");
        }
    }

    /** Returns how many claims of open files the server took. */
    int claims() {
        return server.claims;
    }

    /** Returns how often a lost lock was told. */
    int lostLocks() {
        return jobs.stream().mapToInt(each -> each.lostLocks).sum();
    }

    /** Returns how often a client was told that a lock is free. */
    int notices() {
        return server.notices;
    }

    /** Returns whether both sides agree that no file is open, and all slots are free. */
    private boolean isHealed() throws InterruptedException {
        for (var each : services) {
            try {
                each.mount(PathName.of("/"));
            } catch (IOException failure) {
                note("not yet: " + failure.getMessage());
                return false;
            }
            if (faults.minorVersion > 0) {
                var slots = each.session().slots().live().slots();
                if (slots.free() != slots.usable()) {
                    return false;
                }
            }
        }
        var counts = server.state.snapshots().counts();
        return counts.opens() == 0 && counts.ranges() == 0;
    }

    private String unhealed() {
        var snapshots = server.state.snapshots();
        return "opens at the server: "
                + snapshots.opens(9)
                + "; locks: "
                + snapshots.locks(9)
                + "; slots: "
                + services.stream()
                        .filter(_ -> faults.minorVersion > 0)
                        .map(each -> each.session().slots().live().slots())
                        .map(each -> each.free() + " of " + each.usable())
                        .toList()
                + threads.standing();
    }
}
