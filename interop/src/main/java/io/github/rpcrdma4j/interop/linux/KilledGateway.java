package io.github.rpcrdma4j.interop.linux;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.github.rpcrdma4j.interop.relay.HoldingRelay;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.time.Duration;

/**
 * A gateway that is killed and started again while the kernel uses it. A relay lies between the
 * gateway and its server on TCP, so the gateway can be killed when the server has carried out calls
 * whose replies the gateway has not received.
 */
final class KilledGateway implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(400);

    /** The operation RENAME of NFSv4 with the name that the processes begin with. */
    private static final byte[] RENAME = "\0\0\0\35\0\0\0\11directory".getBytes(US_ASCII);

    private final CellRun run;
    private final HoldingRelay relay;
    private final OurGateway gateway;

    /**
     * Starts the gateway and the relay.
     *
     * @param server where the server is on TCP
     */
    KilledGateway(CellRun run, InetSocketAddress server) throws IOException, InterruptedException {
        this.run = run;
        var listen = run.network().listen();
        relay = new HoldingRelay(listen, server);
        try {
            gateway =
                    new OurGateway(
                            run,
                            "gateway-killed",
                            "rdma://" + listen + ":" + Network.KILLED_PORT,
                            "tcp://" + listen + ":" + relay.port());
        } catch (IOException | InterruptedException failed) {
            relay.close();
            throw failed;
        }
    }

    /**
     * Makes the check with a version of NFS.
     *
     * @param others handles the requests of the guest that are not about the gateway
     */
    void check(CellRun.Findings findings, String version, Guest.RequestHandler others)
            throws IOException, InterruptedException, GuestException {
        run.script(
                findings,
                request -> handle(request, others),
                LIMIT,
                "with.sh",
                version,
                "gateway/killed.sh",
                Integer.toString(Network.KILLED_PORT));
    }

    private void handle(String request, Guest.RequestHandler others)
            throws IOException, InterruptedException {
        switch (request) {
            case "hold-replies" -> relay.hold();
            case "hold-rename" -> relay.holdFrom(RENAME);
            case "list-held" ->
                    Files.write(
                            run.directories().shared(run.cell()).resolve("answer"),
                            GatewayTrace.changesWithoutReply(gateway.traces().getLast()));
            case "release-replies" -> relay.release();
            case "restart-gateway" -> gateway.restart(relay::release);
            default -> others.handle(request);
        }
    }

    /** Stops the gateway and checks its traces. */
    void checkTraces(CellRun.Findings findings) throws IOException {
        gateway.stop();
        GatewayTrace.read(gateway).check(findings);
    }

    @Override
    public void close() {
        gateway.close();
        relay.close();
    }
}
