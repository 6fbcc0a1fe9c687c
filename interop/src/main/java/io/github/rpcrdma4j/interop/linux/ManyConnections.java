package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.iwarp.tcp.IwarpOptions;
import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.client.NfsClient;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.v3.Nfs3Binding;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/**
 * Makes many connections, one after another, and limits the time to the first reply.
 *
 * <p>siw as responder can leave the first FPDU of a connection unread until more bytes arrive. Our
 * side must not make a caller wait for that.
 */
record ManyConnections(CellRun run) {
    private static final int COUNT = 50;
    private static final Duration STALL = Duration.ofSeconds(1);

    void make(CellRun.Findings findings) throws IOException, InterruptedException {
        var provider = new IwarpProvider(IwarpOptions.DEFAULT.withCrc(run.cell().crc()));
        var caller = new Credential.Sys(0, "interop", 0, 0, List.of());
        var host = run.network().knfsd();
        Connector overRdma =
                () ->
                        RpcRdmaClient.builder()
                                .provider(provider)
                                .credential(caller)
                                .binding(Nfs3Binding.BINDING)
                                .connect(new InetSocketAddress(host, Network.RDMA_PORT));
        Connector overTcp =
                () ->
                        TcpRpcClient.connect(
                                new InetSocketAddress(host, Network.MOUNT_PORT),
                                caller,
                                ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3).timeout());
        long worst = 0;
        for (int i = 0; i < COUNT; i++) {
            long start = System.nanoTime();
            try (var service =
                    NfsClient.connect(
                            overRdma,
                            overTcp,
                            ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3))) {
                service.ping();
                worst = Math.max(worst, System.nanoTime() - start);
                NfsMount.of(service, "/export").limits();
            }
        }
        findings.note(
                "%d connections; the slowest had its first reply after %.1f ms"
                        .formatted(COUNT, worst / 1e6));
        findings.expect(worst < STALL.toNanos(), "a connection stalled at its start");
    }
}
