package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.matrix.Check;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The checks of a cell in which the kernel mounts our server with Kerberos. The guest also runs the
 * KDC.
 */
final class LinuxKerberos {
    private static final Duration LIMIT = Duration.ofSeconds(240);

    private final CellRun run;
    private OurServer server;

    LinuxKerberos(CellRun run) {
        this.run = run;
    }

    void run() throws IOException, InterruptedException, GuestException {
        try {
            run.boot(
                    Map.of(
                            "SERVER", run.network().host(),
                            "PORT", Integer.toString(OurServer.KERBEROS_RDMA_PORT),
                            "MOUNT_PORT", Integer.toString(OurServer.KERBEROS_TCP_PORT),
                            "KDC_PORT", Integer.toString(Network.KDC_PORT)));
            run.script(Check.KERBEROS, _ -> serve(), LIMIT, "linux-client/kerberos.sh");
            run.check(
                    Check.KERBEROS_4,
                    findings -> {
                        for (var version : List.of("4.2", "4.1")) {
                            run.script(
                                    findings,
                                    _ -> {},
                                    LIMIT,
                                    "with.sh",
                                    version,
                                    "linux-client/kerberos.sh");
                        }
                    });
            run.check(Check.KERNEL_LOG, new KernelLog(run)::read);
        } finally {
            if (server != null) {
                server.close();
            }
        }
    }

    /** Starts our server, after the guest has made its keys. */
    private void serve() throws IOException, InterruptedException {
        var shared = run.directories().shared(run.cell());
        var configuration = run.logs().resolve("krb5.conf");
        Files.writeString(configuration, "[libdefaults]\n default_realm = TEST\n");
        server =
                OurServer.withKerberos(
                        run.directories(),
                        run.export(),
                        run.network().listen(),
                        run.logs().resolve("server.log"),
                        configuration,
                        shared.resolve("keytab"));
    }
}
