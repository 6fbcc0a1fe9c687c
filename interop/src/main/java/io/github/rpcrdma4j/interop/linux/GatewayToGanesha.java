package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.matrix.Check;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The checks of a cell in which the kernel mounts NFS-Ganesha through our gateway, over RDMA. */
record GatewayToGanesha(CellRun run) {
    private static final Duration SHORT = Duration.ofSeconds(60);
    private static final Duration LONG = Duration.ofSeconds(240);

    /** The versions of our commands; Ganesha has version 3, too. */
    private static final List<String> OURS = List.of("4.2", "4.1", "4.0");

    /** A version of NFS, as the option of a mount. */
    private record Version(String option, Check check) {
        private static final List<Version> ALL =
                List.of(
                        new Version("3", Check.VERSION_3),
                        new Version("4.0", Check.VERSION_4_0),
                        new Version("4.1", Check.VERSION_4_1),
                        new Version("4.2", Check.VERSION_4_2));

        /** The version without state, and the newest. */
        private static final List<Version> QUICK = List.of(ALL.getFirst(), ALL.getLast());

        private boolean hasLocks() {
            return check != Check.VERSION_3;
        }
    }

    /**
     * Makes the checks of the cell.
     *
     * @param quick whether to make only the short checks
     */
    void run(boolean quick) throws IOException, InterruptedException, GuestException {
        var listen = "rdma://" + run.network().listen() + ":" + Network.RDMA_PORT;
        var to = "tcp://" + run.network().listen() + ":" + Network.NFS_PORT;
        var state = run.logs().resolve("ganesha");
        try (var _ = Ganesha.start(run.directories(), run.export(), state);
                var gateway = new OurGateway(run, "gateway", listen, to)) {
            run.boot(
                    Map.of(
                            "SERVER", run.network().host(),
                            "PORT", Integer.toString(Network.RDMA_PORT),
                            "MOUNT_PORT", Integer.toString(Network.MOUNT_PORT)));
            run.script(Check.COPIES, _ -> {}, SHORT, "gateway/pullups.sh", "start");
            for (var version : quick ? Version.QUICK : Version.ALL) {
                run.check(version.check(), findings -> files(version, quick, findings));
            }
            for (var version : quick ? Version.QUICK : Version.ALL) {
                if (version.hasLocks()) {
                    run.check(
                            Check.LOCKS,
                            findings -> script(findings, version, LONG, "linux-client/locks.sh"));
                }
            }
            if (!quick) {
                var commands =
                        new Commands(
                                run.directories(),
                                run.network(),
                                run.cell().crc(),
                                run.logs().resolve("commands.log"));
                var copies =
                        ArchiveCopies.toGanesha(run, commands, listen + "/export", run.export());
                run.check(Check.ATTRIBUTES, findings -> copies.make(false, findings));
                var straight = "nfs://" + run.network().listen() + ":" + Network.NFS_PORT;
                var urls = List.of(listen + "/export", straight + "/export");
                run.check(
                        Check.EVERY_COMMAND,
                        findings -> new EveryCommand(run).make(OURS, urls, findings));
            }
            run.check(Check.GATEWAY_KILLED, findings -> killed(quick, findings));
            run.script(Check.COPIES, _ -> {}, SHORT, "gateway/pullups.sh", "end");
            run.check(Check.KERNEL_LOG, new KernelLog(run)::read);
            gateway.stop();
            run.checkOnHost(
                    Check.GATEWAY_TRACE, findings -> GatewayTrace.read(gateway).check(findings));
        }
    }

    private void killed(boolean quick, CellRun.Findings findings)
            throws IOException, InterruptedException, GuestException {
        var server = new InetSocketAddress(run.network().listen(), Network.NFS_PORT);
        try (var killed = new KilledGateway(run, server)) {
            for (var version : quick ? List.of(Version.ALL.getLast()) : Version.ALL) {
                killed.check(findings, version.option(), _ -> {});
            }
            killed.checkTraces(findings);
        }
    }

    private void files(Version version, boolean quick, CellRun.Findings findings)
            throws IOException, InterruptedException, GuestException {
        script(findings, version, SHORT, "linux-client/mount.sh");
        script(findings, version, LONG, "linux-client/large-file.sh");
        if (!quick) {
            script(findings, version, LONG, "linux-client/names.sh", "300");
            script(findings, version, SHORT, "linux-client/remount.sh");
            script(findings, version, LONG, "linux-client/holes.sh");
            script(findings, version, LONG, "linux-client/writers.sh");
        }
    }

    /** Runs a script with a version of NFS. */
    private void script(
            CellRun.Findings findings,
            Version version,
            Duration limit,
            String script,
            String... arguments)
            throws IOException, InterruptedException, GuestException {
        var words = new ArrayList<>(List.of(version.option(), script));
        words.addAll(List.of(arguments));
        run.script(findings, _ -> {}, limit, "with.sh", words.toArray(String[]::new));
    }
}
