package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.matrix.Check;
import io.github.rpcrdma4j.interop.relay.LossyRelay;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The checks of a cell in which the kernel mounts our server. */
record LinuxClient(CellRun run) {
    private static final Duration SHORT = Duration.ofSeconds(60);
    private static final Duration LONG = Duration.ofSeconds(240);
    private static final Duration VERY_LONG = Duration.ofSeconds(900);

    /**
     * Makes the checks of a cell.
     *
     * @param quick whether to make only the short checks
     */
    void run(boolean quick) throws IOException, InterruptedException, GuestException {
        try (var server =
                new OurServer(
                        run.directories(),
                        run.export(),
                        run.network().listen(),
                        run.cell().crc(),
                        run.logs().resolve("server.log"))) {
            run.boot(
                    Map.of(
                            "SERVER", run.network().host(),
                            "PORT", Integer.toString(server.rdmaPort()),
                            "MOUNT_PORT", Integer.toString(server.tcpPort()),
                            "OWNERS", HostUser.isRoot() ? "yes" : ""));
            boolean thorough = run.cell().isAsShipped() && !quick;
            script(Check.MOUNT, SHORT, "mount.sh");
            script(Check.LARGE_FILE, LONG, "large-file.sh");
            script(Check.ODD_SIZES, VERY_LONG, "odd-sizes.sh", thorough ? "7" : "301");
            script(Check.NAMES, LONG, "names.sh", run.cell().isAsShipped() ? "2000" : "300");
            script(Check.REMOUNT, SHORT, "remount.sh");
            if (!quick) {
                script(Check.HOLES, LONG, "holes.sh");
                script(Check.WRITERS, LONG, "writers.sh");
                script(Check.NCONNECT, LONG, "nconnect.sh");
                run.script(
                        Check.SERVER_KILLED,
                        what -> server.restart(),
                        VERY_LONG,
                        "linux-client/restart.sh");
            }
            if (thorough) {
                lostReplies(server);
                script(Check.MANY_MOUNTS, VERY_LONG, "many-mounts.sh", "50");
                new Reloads(run, "3").check();
                new Version2(run).check();
                new Acls(run).check();
            }
            if (!quick && run.cell().variant().needsLink() && HostUser.isRoot()) {
                new Locks3(run).run();
            }
            run.check(Check.KERNEL_LOG, new KernelLog(run)::read);
            if (thorough || run.cell().isSilentWhenGone()) {
                new PowerCut(run, server, "linux-client/abandon.sh").check(Set.of());
            }
        }
    }

    private void lostReplies(OurServer server)
            throws IOException, InterruptedException, GuestException {
        var listen = run.network().listen();
        try (var relay = new LossyRelay(listen, new InetSocketAddress(listen, server.rdmaPort()))) {
            run.script(
                    Check.LOST_REPLIES,
                    what -> relay.loseReplyTo(Procedure.valueOf(procedure(what)).number()),
                    LONG,
                    "linux-client/lost-replies.sh",
                    Integer.toString(relay.port()));
        }
    }

    /** Returns the procedure of a request {@code lose PROCEDURE} of the guest. */
    private static String procedure(String request) {
        return request.substring(request.indexOf(' ') + 1).toUpperCase(Locale.ROOT);
    }

    private void script(Check check, Duration limit, String script, String... arguments)
            throws IOException, InterruptedException, GuestException {
        run.script(check, _ -> {}, limit, "linux-client/" + script, arguments);
    }
}
