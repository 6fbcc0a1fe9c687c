package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.matrix.Check;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The checks of a cell in which one guest mounts the server of another guest through our gateways:
 * its port for TCP over RDMA, and its port for RDMA over TCP. The serving guest also runs the KDC.
 *
 * <p>Tests: {@code interop/run}.
 */
final class GatewayToKnfsd {
    private static final Duration SHORT = Duration.ofSeconds(60);
    private static final Duration LONG = Duration.ofSeconds(240);

    /** Where the host reaches the server's ports, which the gateways have on another address. */
    private static final String SERVER = "127.0.0.2";

    private static final String CLIENT_KEYS = "client.keytab";

    /** The versions with sessions, so with calls in the reverse direction. */
    private static final List<String> WITH_SESSIONS = List.of("4.1", "4.2");

    private static final String WITH_SESSIONS_OVER_TCP = "4.1/tcp";

    /** How many delegations are recalled from a mount: two for reading, and one for writing. */
    private static final int RECALLS = 3;

    private final CellRun run;

    GatewayToKnfsd(CellRun run) {
        this.run = run;
    }

    void run() throws IOException, InterruptedException, GuestException {
        var listen = run.network().listen();
        var serving =
                Network.user()
                        .forwarding(SERVER, Network.NFS_PORT, Network.RDMA_PORT)
                        .forwarding(listen, Network.MOUNT_PORT, Network.KDC_PORT);
        try (var upstream = SecondGuest.boot(run, "upstream", serving, settings());
                var toTcp =
                        new OurGateway(
                                run,
                                "gateway-to-tcp",
                                "rdma://" + listen + ":" + Network.RDMA_PORT,
                                "tcp://" + SERVER + ":" + Network.NFS_PORT);
                var toRdma =
                        new OurGateway(
                                run,
                                "gateway-to-rdma",
                                "tcp://" + listen + ":" + Network.NFS_PORT,
                                "rdma://" + SERVER + ":" + Network.RDMA_PORT)) {
            run.boot(settings());
            run.check(Check.KNFSD, findings -> start(upstream, findings));
            run.check(
                    Check.KNFSD_TCP_OVER_RDMA,
                    findings -> copies(upstream, findings, "4.2", "sys"));
            run.check(
                    Check.KNFSD_RDMA_OVER_TCP,
                    findings -> {
                        for (var version : List.of("3/tcp", "4.1/tcp", "4.2/tcp")) {
                            copies(upstream, findings, version, "sys");
                        }
                    });
            run.check(
                    Check.DELEGATIONS,
                    findings -> {
                        for (var version : WITH_SESSIONS) {
                            delegations(upstream, findings, version);
                        }
                        delegations(upstream, findings, WITH_SESSIONS_OVER_TCP);
                    });
            run.check(Check.GATEWAY_KILLED, findings -> killed(upstream, findings));
            run.check(
                    Check.GATEWAY_KERBEROS,
                    findings -> {
                        for (var flavor : List.of("krb5", "krb5i", "krb5p")) {
                            copies(upstream, findings, "4.1", flavor);
                            copies(upstream, findings, "3", flavor);
                        }
                    });
            run.script(Check.COPIES, _ -> {}, SHORT, "gateway/pullups.sh", "end");
            run.check(
                    Check.COPIES,
                    findings -> findings.add(upstream.script("gateway/pullups.sh", "end")));
            run.check(Check.KERNEL_LOG, new KernelLog(run)::read);
            toTcp.stop();
            toRdma.stop();
            run.checkOnHost(
                    Check.GATEWAY_TRACE,
                    findings -> {
                        trace(toTcp, WITH_SESSIONS.size(), findings);
                        trace(toRdma, 1, findings);
                    });
        }
    }

    /**
     * Returns the variables of both guests, which know the host, and so the gateways, by a name.
     */
    private static Map<String, String> settings() {
        return Map.of(
                "SERVER", "host",
                "PORT", Integer.toString(Network.RDMA_PORT),
                "TCP_PORT", Integer.toString(Network.NFS_PORT),
                "MOUNT_PORT", Integer.toString(Network.MOUNT_PORT),
                "KNFSD", "host",
                "KDC_PORT", Integer.toString(Network.KDC_PORT));
    }

    private void start(SecondGuest upstream, CellRun.Findings findings)
            throws IOException, InterruptedException, GuestException {
        findings.add(upstream.script("gateway/grace.sh"));
        findings.add(upstream.script("linux-server/start.sh", "sys:krb5:krb5i:krb5p", "all"));
        findings.add(upstream.script("linux-server/kerberos.sh"));
        findings.add(upstream.script("gateway/server.sh"));
        findings.add(upstream.script("gateway/pullups.sh", "start"));
        Files.copy(
                upstream.shared().resolve(CLIENT_KEYS),
                run.directories().shared(run.cell()).resolve(CLIENT_KEYS));
        run.script(findings, _ -> {}, SHORT, "gateway/client.sh");
        run.script(findings, _ -> {}, SHORT, "gateway/pullups.sh", "start");
    }

    private void copies(
            SecondGuest upstream, CellRun.Findings findings, String version, String flavor)
            throws IOException, InterruptedException, GuestException {
        run.script(
                findings,
                _ -> sums(upstream),
                LONG,
                "with.sh",
                version,
                "gateway/copies.sh",
                flavor);
    }

    private void delegations(SecondGuest upstream, CellRun.Findings findings, String version)
            throws IOException, InterruptedException, GuestException {
        run.script(
                findings,
                request -> answer(upstream, findings, request),
                LONG,
                "with.sh",
                version,
                "gateway/delegations.sh");
    }

    /** Has the server's guest do what the client's asks for. What it prints is the answer. */
    private void answer(SecondGuest upstream, CellRun.Findings findings, String request)
            throws IOException, InterruptedException {
        var done = upstream.script("gateway/delegated.sh", request.split(" "));
        findings.add(done);
        Files.write(run.directories().shared(run.cell()).resolve("answer"), done.printed());
    }

    private void killed(SecondGuest upstream, CellRun.Findings findings)
            throws IOException, InterruptedException, GuestException {
        var server = new InetSocketAddress(SERVER, Network.NFS_PORT);
        try (var killed = new KilledGateway(run, server)) {
            for (var version : WITH_SESSIONS) {
                killed.check(findings, version, _ -> sums(upstream));
            }
            killed.checkTraces(findings);
        }
    }

    private static void trace(OurGateway gateway, int mounts, CellRun.Findings findings)
            throws IOException {
        var trace = GatewayTrace.read(gateway);
        trace.checkRecalls(mounts * RECALLS, findings);
        trace.check(findings);
    }

    /** Writes the checksums of the server's files to a file of the client. */
    private void sums(SecondGuest upstream) throws IOException, InterruptedException {
        var sums = upstream.script("linux-server/sums.sh");
        Files.write(run.directories().shared(run.cell()).resolve("sums"), sums.printed());
    }
}
