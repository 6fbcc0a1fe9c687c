package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.capture.PacketReader;
import io.github.rpcrdma4j.dissect.Dissector;
import io.github.rpcrdma4j.dissect.Layer;
import io.github.rpcrdma4j.dissect.Version1Document;
import io.github.rpcrdma4j.dissect.trace.TraceFile;
import io.github.rpcrdma4j.iwarp.tcp.IwarpOptions;
import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Binding;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.profile.WireProfile;
import io.github.rpcrdma4j.rpcrdma.v2.Version2Profile;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Checks a client that prefers version 2 of RPC-over-RDMA.
 *
 * <p>The client sends its first message in version 2. knfsd answers with ERR_VERS, and the client
 * continues in version 1 on the same connection. The next connection starts in version 1.
 */
final class NewestVersion {
    /** The time that a client waits for a silent server. */
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final CellRun run;

    /**
     * The profile of both connections: it keeps the version found on the first one for the second.
     */
    private final WireProfile profile = new Version2Profile(Version2.DEFAULT);

    NewestVersion(CellRun run) {
        this.run = run;
    }

    void make(CellRun.Findings findings) throws IOException, InterruptedException {
        var trace = run.logs().resolve("newest-version.pcapng");
        try (var tap = TraceFile.create(trace)) {
            var plain = IwarpOptions.DEFAULT.withCrc(run.cell().crc());
            var provider = new IwarpProvider(plain.withTap(tap));
            findings.note("the first took %.1f ms".formatted(connect(provider, findings) / 1e6));
            findings.note("the second took %.1f ms".formatted(connect(provider, findings) / 1e6));
        }
        long errors = errors(trace);
        findings.expect(errors == 1, errors + " times ERR_VERS on two connections");
    }

    /**
     * Connects and makes a call.
     *
     * @return the time until the first reply, in nanoseconds
     */
    private long connect(IwarpProvider provider, CellRun.Findings findings)
            throws IOException, InterruptedException {
        long start = System.nanoTime();
        try (var client =
                RpcRdmaClient.builder()
                        .provider(provider)
                        .binding(Nfs3Binding.BINDING)
                        .profile(profile)
                        .connect(new InetSocketAddress(run.network().knfsd(), Network.RDMA_PORT))) {
            findings.expect(client.version() == 1, "the connection uses version 2");
            var call = new RpcCall(Nfs3.PROGRAM, Nfs3.VERSION, Procedure.NULL.number(), _ -> {}, 0);
            client.call(call, ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3).timeout())
                    .close();
        }
        long took = System.nanoTime() - start;
        findings.expect(took < PATIENCE.toNanos(), "the client waited as for a silent server");
        return took;
    }

    private static long errors(Path trace) throws IOException {
        try (var in = Files.newInputStream(trace)) {
            return Dissector.dissect(PacketReader.of(in), true, Version1Document.RFC_8166)
                    .connections()
                    .stream()
                    .flatMap(connection -> connection.frames().stream())
                    .flatMap(frame -> frame.layers().stream())
                    .filter(
                            layer ->
                                    layer instanceof Layer.Transport2(var header)
                                            && header instanceof Version2Header.VersionError)
                    .count();
        }
    }
}
