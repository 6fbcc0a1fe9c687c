package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.matrix.Check;
import io.github.rpcrdma4j.interop.matrix.RunDirectories;
import io.github.rpcrdma4j.interop.relay.LossyRelay;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The checks of a cell in which the kernel mounts our server with version 4.
 *
 * <p>Tests: {@code interop/run}.
 *
 * @param version the version, as the option of a mount
 */
record LinuxClient4(CellRun run, String version) {
    private static final Duration SHORT = Duration.ofSeconds(60);
    private static final Duration LONG = Duration.ofSeconds(240);
    private static final Duration VERY_LONG = Duration.ofSeconds(900);
    private static final String NEWEST = "4.2";
    private static final int ENTRIES = 100_000;

    /** What the state of a client without power keeps until another client needs it. */
    private static final Set<String> KEPT = Set.of("descriptors");

    /**
     * Makes the checks of a cell.
     *
     * @param quick whether to make only the short checks
     */
    void run(boolean quick) throws IOException, InterruptedException, GuestException {
        try (var server =
                OurServer.atStandardPorts(
                        run.directories(),
                        run.export(),
                        run.network().listen(),
                        run.cell().crc(),
                        run.logs().resolve("server.log"))) {
            run.boot(settings());
            if (version.equals(NEWEST)) {
                script(Check.DEFAULT_MOUNT, SHORT, "default.sh");
            }
            script(Check.COPIED_TREE, LONG, "tree.sh");
            script(Check.LOCKS, LONG, "locks.sh");
            // These have no chunks, so the settings of RDMA make no difference.
            if (version.equals(NEWEST) && run.cell().isAsShipped()) {
                new Reflinks(run, version).check();
                new Referral(run, version).check();
                new Reloads(run, version).check();
            }
            if (!quick) {
                boolean thorough = run.cell().isAsShipped();
                files(thorough);
                state(server);
                if (thorough) {
                    thorough(server);
                }
            }
            run.check(Check.KERNEL_LOG, new KernelLog(run)::read);
            if (!quick) {
                powerCut(server);
            }
        }
    }

    private Map<String, String> settings() throws IOException {
        return Map.of(
                "SERVER", run.network().host(),
                "PORT", Integer.toString(Network.RDMA_PORT),
                "TCP_PORT", Integer.toString(Network.NFS_PORT),
                "MOUNT_PORT", Integer.toString(Network.NFS_PORT),
                "OWNERS", HostUser.isRoot() ? "yes" : "");
    }

    private void files(boolean thorough) throws IOException, InterruptedException, GuestException {
        script(Check.MOUNT, SHORT, "mount.sh");
        script(Check.LARGE_FILE, LONG, "large-file.sh");
        // The data of both versions goes the same way, so every seventh length is tried in one.
        boolean everySeventh = thorough && version.equals(NEWEST);
        script(Check.ODD_SIZES, VERY_LONG, "odd-sizes.sh", everySeventh ? "7" : "301");
        script(Check.NAMES, LONG, "names.sh", thorough ? "2000" : "300");
        script(Check.REMOUNT, SHORT, "remount.sh");
        script(Check.HOLES, LONG, "holes.sh");
        script(Check.WRITERS, LONG, "writers.sh");
        script(Check.NCONNECT, LONG, "nconnect.sh");
        if (version.equals(NEWEST)) {
            script(Check.SPACE, SHORT, "space.sh");
            script(Check.XATTRS, SHORT, "xattrs.sh");
        }
    }

    private void state(OurServer server) throws IOException, InterruptedException, GuestException {
        run.check(Check.OUR_DELEGATIONS, new HostUses(run, version)::check);
        // The server reaches the guest by its address only over a direct link.
        if (version.equals(NEWEST) && run.cell().variant().needsLink()) {
            run.check(
                    Check.DELEGATIONS_WITHOUT_SESSIONS,
                    new HostUses(run, HostUses.WITHOUT_SESSIONS)::check);
        }
        run.script(
                Check.SERVER_KILLED,
                _ -> server.restart(),
                VERY_LONG,
                "with.sh",
                version,
                "linux-client/restart.sh");
        run.script(
                Check.RECLAIM,
                _ -> server.restart(),
                LONG,
                "with.sh",
                version,
                "linux-client/reclaim.sh");
    }

    private void thorough(OurServer server)
            throws IOException, InterruptedException, GuestException {
        run.script(
                Check.ENTRIES,
                this::fillOrEmpty,
                VERY_LONG,
                "with.sh",
                version,
                "linux-client/entries.sh",
                Integer.toString(ENTRIES));
        lostReplies(server);
        script(Check.MANY_MOUNTS, VERY_LONG, "many-mounts.sh", "50");
        run.check(
                Check.OVER_TCP,
                findings -> {
                    for (var script : List.of("tree.sh", "holes.sh", "locks.sh")) {
                        run.script(
                                findings,
                                _ -> {},
                                LONG,
                                "with.sh",
                                version + "/tcp",
                                "linux-client/" + script);
                    }
                });
    }

    /** Makes a directory of many files on the host, or removes it. */
    private void fillOrEmpty(String request) throws IOException {
        var filled = run.export().resolve("filled");
        if (!request.equals("fill")) {
            RunDirectories.remove(filled);
            return;
        }
        Files.createDirectory(filled);
        for (int i = 0; i < ENTRIES; i++) {
            Files.createFile(filled.resolve("entry-%06d".formatted(i)));
        }
    }

    private void lostReplies(OurServer server)
            throws IOException, InterruptedException, GuestException {
        var listen = run.network().listen();
        try (var relay = new LossyRelay(listen, new InetSocketAddress(listen, server.rdmaPort()))) {
            run.script(
                    Check.LOST_REPLIES,
                    what -> relay.loseReplyTo(operation(what)),
                    LONG,
                    "with.sh",
                    version,
                    "linux-client/lost-replies.sh",
                    Integer.toString(relay.port()));
        }
    }

    /** Returns the operation of a request {@code lose PROCEDURE} of the guest. */
    private static Opcode operation(String request) {
        return switch (request.substring(request.indexOf(' ') + 1)) {
            case "mkdir", "symlink" -> Opcode.CREATE;
            case "create" -> Opcode.OPEN;
            case "link" -> Opcode.LINK;
            case "rename" -> Opcode.RENAME;
            case "remove", "rmdir" -> Opcode.REMOVE;
            default -> throw new IllegalArgumentException(request);
        };
    }

    /** Cuts the power of the guest. As shipped, a second guest waits for its locks. */
    private void powerCut(OurServer server)
            throws IOException, InterruptedException, GuestException {
        var powerCut = new PowerCut(run, server, "with.sh", version, "linux-client/abandon.sh");
        if (!run.cell().isAsShipped()) {
            if (run.cell().isSilentWhenGone()) {
                powerCut.check(KEPT);
            }
            return;
        }
        try (var second = SecondGuest.boot(run, "second", Network.user(), settings())) {
            run.check(
                    Check.LOCKS_OF_GUESTS,
                    findings ->
                            run.script(
                                    findings,
                                    step -> findings.add(second(second, step)),
                                    LONG,
                                    "with.sh",
                                    version,
                                    "linux-client/guests/first.sh"));
            run.check(
                    Check.DELEGATIONS_OF_GUESTS,
                    findings -> new HostUses(run, version).check(findings, second));
            var before = powerCut.check(KEPT);
            run.checkOnHost(
                    Check.LOST_CLIENT,
                    findings -> {
                        findings.add(second(second, "abandoned"));
                        new CountersAtRest(server).expectReturned(findings, before, Set.of());
                    });
        }
    }

    private Guest.Ended second(SecondGuest second, String step)
            throws IOException, InterruptedException {
        return second.script("with.sh", version, "linux-client/guests/second.sh", step);
    }

    private void script(Check check, Duration limit, String script, String... arguments)
            throws IOException, InterruptedException, GuestException {
        var words = new ArrayList<>(List.of(version, "linux-client/" + script));
        words.addAll(List.of(arguments));
        run.script(check, _ -> {}, limit, "with.sh", words.toArray(String[]::new));
    }
}
