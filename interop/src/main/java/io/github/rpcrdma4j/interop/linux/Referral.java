package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.matrix.Check;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;

/**
 * Checks that a client goes from a server of ours to another one, and takes the end of copies that
 * go on after their replies. The other server is that of the cell.
 *
 * @param version the version of the mounts, as their option
 */
record Referral(CellRun run, String version) {
    private static final Duration LIMIT = Duration.ofSeconds(120);

    void check() throws IOException, InterruptedException, GuestException {
        run.check(Check.REFERRAL, this::make);
    }

    private void make(CellRun.Findings findings)
            throws IOException, InterruptedException, GuestException {
        var data = Files.createDirectories(run.logs().resolve("data"));
        var served =
                List.of(
                        "--async-copies",
                        "--allow",
                        "/data=any,no_root_squash",
                        "--allow",
                        "/moved=any,refer=/export@" + run.network().host(),
                        data + "=/data",
                        data + "=/moved");
        try (var server =
                OurServer.of(
                        run.directories(),
                        List.of(),
                        served,
                        run.network().listen(),
                        run.logs().resolve("referring-server.log"))) {
            run.script(
                    findings,
                    _ -> {},
                    LIMIT,
                    "with.sh",
                    version,
                    "linux-client/referral.sh",
                    Integer.toString(server.rdmaPort()));
        }
    }
}
