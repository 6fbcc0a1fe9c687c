package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.matrix.Check;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Checks mounts of version 2, over RDMA and over TCP. */
record Version2(CellRun run) {
    private static final Duration LIMIT = Duration.ofSeconds(240);

    void check() throws IOException, InterruptedException, GuestException {
        run.check(Check.VERSION_2, this::make);
    }

    private void make(CellRun.Findings findings)
            throws IOException, InterruptedException, GuestException {
        var served = List.of("--nfs2", "--allow", "any,no_root_squash", run.export() + "=/export");
        try (var server =
                OurServer.of(
                        run.directories(),
                        List.of(),
                        served,
                        run.network().listen(),
                        run.logs().resolve("version2-server.log"))) {
            for (var version : List.of("2", "2/tcp")) {
                for (var script : List.of("tree.sh", "version2.sh")) {
                    run.script(
                            findings,
                            _ -> {},
                            LIMIT,
                            "linux-client/with-ports.sh",
                            Integer.toString(server.rdmaPort()),
                            Integer.toString(server.tcpPort()),
                            version,
                            "linux-client/" + script);
                }
            }
        }
    }
}
