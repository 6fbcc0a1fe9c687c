package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.gateway.Gateway;
import io.github.rpcrdma4j.gateway.GatewayLimits;
import io.github.rpcrdma4j.gateway.RdmaUpstream;
import io.github.rpcrdma4j.gateway.TcpUpstream;
import io.github.rpcrdma4j.gateway.Upstream;
import io.github.rpcrdma4j.iwarp.tcp.IwarpOptions;
import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Passes calls between two transports until the process is interrupted. */
@Command(
        name = "gateway",
        mixinStandardHelpOptions = true,
        description = "Pass RPC calls between TCP and RPC-over-RDMA, unchanged.",
        footer = {
            "",
            "Each client has one connection to the server, which ends with the client's. The server"
                    + " sees the address of the gateway.",
            "",
            "Example: rpcrdma gateway --listen rdma://:20049 --to tcp://nfs.example.org:2049",
            "The reverse: rpcrdma gateway --listen tcp://:2049 --to rdma://nfs.example.org:20049"
        })
final class GatewayCommand implements Callable<Integer> {
    /** A Linux client gives up a connection that is not accepted within 5 seconds. */
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(4);

    @Option(
            names = "--listen",
            paramLabel = "ADDRESS",
            defaultValue = "rdma://:20049",
            description =
                    "Where clients connect: rdma://HOST:PORT or tcp://HOST:PORT (${DEFAULT-VALUE});"
                            + " port 0 picks one.")
    private String listen;

    @Option(
            names = "--to",
            paramLabel = "ADDRESS",
            required = true,
            description = "The server: tcp://HOST:PORT or rdma://HOST:PORT.")
    private String to;

    @Option(
            names = "--max-results",
            paramLabel = "BYTES",
            description =
                    "The longest results for which there is room towards a server on RDMA"
                            + " (1114112).")
    private Long maxResults;

    @Mixin private final VersionOptions version = new VersionOptions(VersionOptions.Choice.AUTO);

    @Section(Section.Heading.CONNECTION)
    @Option(names = "--no-crc", description = "Do not ask for CRCs.")
    private boolean noCrc;

    @Option(
            names = "--report",
            paramLabel = "SECONDS",
            description = "Print connections and calls every SECONDS.")
    private Integer reportSeconds;

    @Mixin private final Trace trace = new Trace();

    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    private final ServerLife life = new ServerLife();

    /**
     * The listening side of a gateway.
     *
     * @param report returns one line about connections and calls
     * @param failure completes if the server cannot continue
     * @param stop stops the server
     */
    private record Front(
            TransportAddress address,
            Supplier<String> report,
            CompletionStage<Throwable> failure,
            Runnable stop)
            implements AutoCloseable {
        @Override
        public void close() {
            stop.run();
        }
    }

    @Override
    public Integer call() throws Exception {
        try {
            return pass(spec.commandLine().getOut());
        } finally {
            life.cleanedUp();
        }
    }

    private int pass(PrintWriter out) throws IOException, InterruptedException {
        ServerLife.requireInterval(reportSeconds);
        var server = TransportAddress.parse(to);
        var wanted = TransportAddress.parse(listen);
        var limits =
                maxResults == null
                        ? GatewayLimits.DEFAULT
                        : new GatewayLimits(maxResults, GatewayLimits.DEFAULT.callTimeout());
        try (trace) {
            var provider = new IwarpProvider(trace.options(IwarpOptions.DEFAULT.withCrc(!noCrc)));
            var gateway = new Gateway(upstream(server, provider), limits);
            try (var front = front(wanted, provider, gateway)) {
                out.printf("%s: calls go to %s%n", front.address(), server);
                out.println("Passing calls. Stop with Ctrl-C.");
                out.flush();
                life.awaitStop(
                        Optional.ofNullable(reportSeconds),
                        () -> {
                            out.println(front.report().get());
                            out.flush();
                        },
                        List.of(front.failure()));
                out.printf("Stopped: %s%n", front.report().get());
                out.flush();
            }
        }
        return CommandLine.ExitCode.OK;
    }

    private Upstream upstream(TransportAddress server, IwarpProvider provider) {
        return switch (server.transport()) {
            case TCP -> new TcpUpstream(server.address(), CONNECT_TIMEOUT);
            case RDMA ->
                    new RdmaUpstream(
                            server.address(),
                            () ->
                                    RpcRdmaClient.builder()
                                            .provider(provider)
                                            .profile(version.profile())
                                            .connectTimeout(CONNECT_TIMEOUT));
        };
    }

    private Front front(TransportAddress wanted, IwarpProvider provider, Gateway gateway)
            throws IOException {
        return switch (wanted.transport()) {
            case TCP -> {
                var server = TcpRpcServer.listen(wanted.address(), gateway, TcpRpcOptions.DEFAULT);
                yield new Front(
                        wanted.at(server.address()),
                        () ->
                                words(
                                        server.openConnections(),
                                        server.statistics().connectionsOpened(),
                                        server.statistics().calls()),
                        server.failure(),
                        server::close);
            }
            case RDMA -> {
                var server =
                        RpcRdmaServer.builder()
                                .provider(provider)
                                .address(wanted.address())
                                .calls(gateway)
                                .profile(version.profile())
                                .start();
                yield new Front(
                        wanted.at(server.address()),
                        () ->
                                words(
                                        server.openConnections(),
                                        server.statistics().value(Counter.CONNECTIONS_OPENED),
                                        server.statistics().value(Counter.CALLS)),
                        server.failure(),
                        server::close);
            }
        };
    }

    private static String words(int open, long opened, long calls) {
        return "%s now, %s in all, %s"
                .formatted(Count.words(open, "connection"), opened, Count.words(calls, "call"));
    }
}
