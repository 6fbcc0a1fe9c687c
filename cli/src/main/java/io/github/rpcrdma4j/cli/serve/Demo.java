package io.github.rpcrdma4j.cli.serve;

import io.github.rpcrdma4j.cli.connect.ProfileOptions;
import io.github.rpcrdma4j.cli.connect.ProviderOptions;
import io.github.rpcrdma4j.cli.connect.Trace;
import io.github.rpcrdma4j.cli.connect.TransferText;
import io.github.rpcrdma4j.cli.connect.VersionOptions;
import io.github.rpcrdma4j.cli.terminal.Count;
import io.github.rpcrdma4j.cli.terminal.Progress;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.NfsClient;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.copy.Copier;
import io.github.rpcrdma4j.nfs.client.copy.TreeCopier;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * Demonstrates the main purpose: starts a server, and copies real data through it and back.
 *
 * <p>Tests: {@code dist/try}.
 */
@Command(
        name = "demo",
        description = {
            "Copy real data through a server on loopback and back.",
            "The data is a large file and a source tree. Both ends run in this process, on",
            "real sockets or a real adapter; the port is any free one."
        },
        footer = {
            "",
            "Example: rpcrdma demo",
            "Over RPC-over-RDMA version 2: rpcrdma demo --rpcrdma-version 2",
            "One extension: rpcrdma demo --rpcrdma-version 2 --extensions placement",
            "By RFC 5666: rpcrdma demo --rfc5666"
        })
public final class Demo implements Callable<Integer> {
    private static final Set<String> LEFT_OUT = Set.of(".git", "target", ".cache");

    @Mixin private final ProfileOptions wire = new ProfileOptions(VersionOptions.Choice.ONE);

    @Mixin private final ProviderOptions providers = new ProviderOptions();

    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        var out = spec.commandLine().getOut();
        var directory = Files.createTempDirectory("rpcrdma-demo");
        try {
            run(directory, out);
        } finally {
            Trees.delete(directory);
        }
        return CommandLine.ExitCode.OK;
    }

    private void run(Path directory, PrintWriter out) throws IOException, InterruptedException {
        var exported = Files.createDirectory(directory.resolve("exported"));
        var back = Files.createDirectory(directory.resolve("back"));
        var loopback = InetAddress.getLoopbackAddress();
        var address = new InetSocketAddress(providers.localAddress().orElse(loopback), 0);
        var provider = providers.at(address, new Trace());
        try (var nfs =
                        new NfsServer(
                                List.of(new Export("/demo", exported, false)), HandleKey.random());
                var server =
                        RpcRdmaServer.builder()
                                .provider(provider)
                                .address(address)
                                .programs(nfs.programs())
                                .profile(wire.profile())
                                .start()) {
            out.printf("Serving on rdma://%s/demo%n", HostPort.text(server.address()));
            var transport = new AtomicReference<RpcRdmaClient>();
            Connector connector =
                    () -> {
                        transport.set(
                                RpcRdmaClient.builder()
                                        .provider(provider)
                                        .credential(new Credential.Sys(0, "demo", 0, 0, List.of()))
                                        .bindings(ClientOptions.DEFAULT.bindings())
                                        .profile(wire.profile())
                                        .connect(server.address()));
                        return transport.get();
                    };
            var service = NfsClient.connect(connector, connector, ClientOptions.DEFAULT);
            try (var mount = NfsMount.of(service, "/demo")) {
                copyFile(mount, largeFile(), back, out);
                copyTree(mount, sourceTree(), back, out);
                report(transport.get(), server, out);
            }
            requireNothingLeft(transport.get(), server);
        }
    }

    /** Returns the largest file of the JDK, or a small one if that is missing. */
    private static Path largeFile() {
        var modules = Path.of(System.getProperty("java.home"), "lib", "modules");
        return Files.exists(modules)
                ? modules
                : Path.of(System.getProperty("java.home"), "release");
    }

    /** Returns the project's source tree if the launcher names it; else the current directory. */
    private static Path sourceTree() {
        return Path.of(System.getProperty("rpcrdma.home", ".")).toAbsolutePath().normalize();
    }

    private static void copyFile(NfsMount mount, Path file, Path back, PrintWriter out)
            throws IOException, InterruptedException {
        var name = file.getFileName().toString();
        var root = mount.resolve("/demo").handle();
        try (var progress = Progress.of("put " + name, Progress.Unit.BYTES, out)) {
            new Copier(mount, ClientOptions.DEFAULT, progress)
                    .put(file, new RemotePlace(root, name), name);
            out.printf("put %s: %s%n", name, progress.finish());
        }
        try (var progress = Progress.of("get " + name, Progress.Unit.BYTES, out)) {
            var copy = mount.lookup(new RemotePlace(root, name));
            new Copier(mount, ClientOptions.DEFAULT, progress).get(copy, name, back.resolve(name));
            out.printf("get %s: %s%n", name, progress.finish());
        }
        Trees.requireSame(file, back.resolve(name));
        out.printf("%s came back with the same SHA-256%n", name);
    }

    private static void copyTree(NfsMount mount, Path tree, Path back, PrintWriter out)
            throws IOException, InterruptedException {
        Predicate<FileName> wanted = name -> !LEFT_OUT.contains(name.toString());
        var target = new RemotePlace(mount.resolve("/demo").handle(), "source");
        try (var progress = Progress.of("put source", Progress.Unit.BYTES, out)) {
            new TreeCopier(new Copier(mount, ClientOptions.DEFAULT, progress), wanted)
                    .put(tree, target, "source");
            out.printf("put source tree: %s%n", progress.finish());
        }
        try (var progress = Progress.of("get source", Progress.Unit.BYTES, out)) {
            var copy = mount.lookup(target);
            new TreeCopier(new Copier(mount, ClientOptions.DEFAULT, progress), wanted)
                    .get(copy, "source", back.resolve("source"));
            out.printf("get source tree: %s%n", progress.finish());
        }
        long files =
                Trees.requireSameTree(
                        tree,
                        back.resolve("source"),
                        path -> wanted.test(FileName.of(path.getFileName().toString())));
        out.printf("%s came back the same, by SHA-256%n", Count.words(files, "file"));
    }

    private void report(RpcRdmaClient transport, RpcRdmaServer server, PrintWriter out) {
        out.printf(
                "%nHow the client's bytes moved over RPC-over-RDMA version %d. The server reads"
                        + " and writes the client's memory:%n",
                transport.version());
        TransferText.print(out, List.of(transport), wire.isRfc5666());
        out.printf(
                "Memory still open to the other side: %s of the client, %s of the server%n",
                Count.words(transport.openWindows(), "window"),
                Count.words(server.openWindows(), "window"));
    }

    private static void requireNothingLeft(RpcRdmaClient transport, RpcRdmaServer server)
            throws IOException {
        int windows = transport.openWindows() + server.openWindows();
        if (windows != 0 || transport.leasedMemory() != 0) {
            throw new IOException(
                    "left behind: "
                            + windows
                            + " windows, "
                            + transport.leasedMemory()
                            + " buffers");
        }
    }
}
