package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.iwarp.tcp.IwarpOptions;
import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.client.ClientOptions;
import io.github.rpcrdma4j.nfs.client.Connector;
import io.github.rpcrdma4j.nfs.client.Nfs3Client;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.v3.Nfs3Binding;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaOptions;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** What all commands that talk to a server have in common. */
final class Remote implements Closeable {
    @Option(
            names = "--deadline",
            paramLabel = "SECONDS",
            defaultValue = "30",
            description = "Give up a call after this time (${DEFAULT-VALUE}).")
    private int deadlineSeconds;

    @Option(
            names = "--retry",
            paramLabel = "SECONDS",
            defaultValue = "0",
            description =
                    "Reconnect and go on for this long when the server goes away"
                            + " (${DEFAULT-VALUE}: not at all).")
    private int retrySeconds;

    @Option(names = "--no-crc", description = "Do not ask for CRCs.")
    private boolean noCrc;

    @Option(
            names = "--mount-tcp",
            paramLabel = "PORT",
            description = "Ask for exports over TCP at this port; a Linux server needs it.")
    private Integer mountPort;

    @Mixin private final Trace trace = new Trace();

    private volatile RpcRdmaClient newest;

    ClientOptions options() {
        if (deadlineSeconds < 1 || retrySeconds < 0) {
            throw new IllegalArgumentException(
                    "--deadline must be positive, and --retry not negative");
        }
        return ClientOptions.DEFAULT
                .withDeadline(Duration.ofSeconds(deadlineSeconds))
                .withRetry(Duration.ofSeconds(retrySeconds));
    }

    Nfs3Client client(NfsUrl url) throws IOException, InterruptedException {
        var provider = new IwarpProvider(trace.options(IwarpOptions.DEFAULT.withCrc(!noCrc)));
        var caller = caller();
        Connector connector = () -> connect(provider, url, caller);
        return new Nfs3Client(
                connector, mountPort == null ? connector : overTcp(url, caller), options());
    }

    private Connector overTcp(NfsUrl url, Credential caller) {
        if (mountPort < 1 || mountPort > HostPort.PORT_MAX) {
            throw new IllegalArgumentException("--mount-tcp is no port: " + mountPort);
        }
        var address = new InetSocketAddress(url.address().getHostString(), mountPort);
        return () -> TcpRpcClient.connect(address, caller, options().deadline());
    }

    private RpcRdmaClient connect(IwarpProvider provider, NfsUrl url, Credential caller)
            throws RpcException, InterruptedException {
        newest =
                RpcRdmaClient.connect(
                        provider,
                        url.address(),
                        caller,
                        List.of(Nfs3Binding.BINDING),
                        RpcRdmaOptions.DEFAULT);
        return newest;
    }

    NfsMount mount(NfsUrl url) throws IOException, InterruptedException {
        return NfsMount.of(client(url), url.path());
    }

    /** The transport of the newest connection, for its counters. */
    RpcRdmaClient transport() {
        return newest;
    }

    /** After the connections are closed. */
    @Override
    public void close() throws IOException {
        trace.close();
    }

    /** Who runs this command, as far as the system tells. */
    private static Credential caller() {
        try {
            var own = Path.of("/proc/self");
            int uid = (Integer) Files.getAttribute(own, "unix:uid", LinkOption.NOFOLLOW_LINKS);
            int gid = (Integer) Files.getAttribute(own, "unix:gid", LinkOption.NOFOLLOW_LINKS);
            return new Credential.Sys(0, "rpcrdma4j", uid, gid, List.of());
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException _) {
            return new Credential.None();
        }
    }
}
