package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.matrix.Check;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Everyday work of the kernel's users on two mounts of our server, which is killed three times
 * meanwhile.
 *
 * @param version the version of the mounts, as their option
 * @param length how long the work goes on
 */
record LinuxWork(CellRun run, String version, Duration length) {
    private static final String TOOLS = "tools";

    /** How much longer than the work the preparation and the last checks may take. */
    private static final Duration MORE = Duration.ofMinutes(30);

    /** What a server that has just started has fewer of. */
    private static final Set<String> FRESH = Set.of("threads");

    void work() throws IOException, InterruptedException, GuestException {
        try (var server =
                OurServer.atStandardPorts(
                        run.directories(),
                        run.export(),
                        run.network().listen(),
                        run.cell().crc(),
                        run.logs().resolve("server.log"))) {
            run.boot(
                    Map.of(
                            "SERVER", run.network().host(),
                            "PORT", Integer.toString(Network.RDMA_PORT)),
                    // The compiler and Git of this machine.
                    Map.of(TOOLS, Path.of("/")));
            run.check(
                    Check.SOAK,
                    findings -> {
                        var before = server.counters();
                        run.script(
                                findings,
                                _ -> server.restart(),
                                length.plus(MORE),
                                "with.sh",
                                version,
                                "work/work.sh",
                                Long.toString(length.toSeconds()),
                                run.directories().home().toString(),
                                run.directories().image().resolve("work").toString());
                        new CountersAtRest(server).expectReturned(findings, before, FRESH);
                        for (var state : List.of("clients", "sessions", "opens", "locks")) {
                            var listed = server.list(run.directories(), state);
                            findings.expect(
                                    listed.isEmpty(),
                                    "the server still has " + state + ": " + listed);
                        }
                    });
            run.check(Check.KERNEL_LOG, new KernelLog(run)::read);
        }
    }
}
