package io.github.rpcrdma4j.interop.linux;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;

/** The kernel mounts our server. */
final class LinuxClient {
    private static final Duration SHORT = Duration.ofSeconds(60);
    private static final Duration LONG = Duration.ofSeconds(240);
    private static final Duration VERY_LONG = Duration.ofSeconds(900);

    private final CellRun run;

    LinuxClient(CellRun run) {
        this.run = run;
    }

    /**
     * Makes the checks of a cell.
     *
     * @param quick whether only the short ones
     */
    void run(boolean quick) throws IOException, InterruptedException, GuestException {
        try (var server =
                new OurServer(
                        run.place(),
                        run.export(),
                        run.network().listen(),
                        run.cell().crc(),
                        run.logs().resolve("server.log"))) {
            run.boot(
                    Map.of(
                            "SERVER", run.network().host(),
                            "PORT", Integer.toString(server.rdmaPort()),
                            "MOUNT_PORT", Integer.toString(server.tcpPort())));
            boolean thorough = run.cell().isQuick() && !quick;
            script("mount, space, unmount", SHORT, "mount.sh");
            script("20 MB in and back", LONG, "large-file.sh");
            script("odd sizes and offsets", VERY_LONG, "odd-sizes.sh", thorough ? "7" : "301");
            script("names, links, renames, listings", LONG, "names.sh", "2000");
            script("data outlives an unmount", SHORT, "remount.sh");
            if (!quick) {
                script("append, truncate, holes", LONG, "holes.sh");
                script("concurrent writers and readers", LONG, "writers.sh");
                script("nconnect=4", LONG, "nconnect.sh");
                run.script(
                        "server killed while the client writes",
                        what -> server.restart(),
                        VERY_LONG,
                        "linux-client/restart.sh");
            }
            if (thorough) {
                script("50 mounts in a row", VERY_LONG, "many-mounts.sh", "50");
            }
            run.check("kernel log", new KernelLog(run)::read);
            if (thorough) {
                new PowerCut(run, server).check();
            }
        }
    }

    private void script(String name, Duration limit, String script, String... arguments)
            throws IOException, InterruptedException, GuestException {
        run.script(name, _ -> {}, limit, "linux-client/" + script, arguments);
    }
}
