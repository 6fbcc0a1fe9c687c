package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.linux.DiskImage.FileSystem;
import io.github.rpcrdma4j.interop.matrix.Check;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Checks that locks of version 3 outlast the power of their host, until the host has booted again
 * and its statd tells of that. What statd knows is on a disk. The guest of the cell waits for the
 * locks of a second one.
 */
final class RestartedHost implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(300);
    private static final String SCRIPT = "linux-client/guests/restarted.sh";

    private final CellRun run;
    private final OurServer server;
    private final DiskImage disk;
    private SecondGuest host;

    private RestartedHost(CellRun run, OurServer server) throws IOException {
        this.run = run;
        this.server = server;
        this.disk =
                DiskImage.in(Files.createDirectories(run.logs().resolve("statd")), FileSystem.EXT4);
    }

    /**
     * Makes the check.
     *
     * @param server with an rpcbind
     */
    static void check(CellRun run, OurServer server)
            throws IOException, InterruptedException, GuestException {
        run.check(
                Check.RESTARTED_HOST,
                findings -> {
                    try (var check = new RestartedHost(run, server)) {
                        check.make(findings);
                    }
                });
    }

    private void make(CellRun.Findings findings)
            throws IOException, InterruptedException, GuestException {
        disk.format();
        boot("restarted");
        findings.add(host.script(SCRIPT, "hold"));
        run.script(
                findings,
                request -> handle(findings, request),
                LIMIT,
                "linux-client/with-locks.sh",
                Integer.toString(server.rdmaPort()),
                Integer.toString(server.tcpPort()),
                "linux-client/guests/awaiting.sh");
    }

    /** Carries out a request of the guest that waits. */
    private void handle(CellRun.Findings findings, String request)
            throws IOException, InterruptedException {
        switch (request) {
            case "power-off" -> host.powerOff();
            case "boot" -> {
                try {
                    boot("restarted-again");
                } catch (GuestException died) {
                    throw new IOException(died.getMessage(), died);
                }
                findings.add(host.script(SCRIPT, request));
            }
            case "lock" -> findings.add(host.script(SCRIPT, request));
            default -> throw new IllegalArgumentException(request);
        }
    }

    private void boot(String name) throws IOException, InterruptedException, GuestException {
        var settings =
                Map.of(
                        "SERVER", run.network().host(),
                        "PORT", Integer.toString(server.rdmaPort()),
                        "MOUNT_PORT", Integer.toString(server.tcpPort()));
        host = SecondGuest.boot(run, name, Network.secondLink(), settings, List.of(disk.file()));
    }

    @Override
    public void close() {
        if (host != null) {
            host.close();
        }
    }
}
