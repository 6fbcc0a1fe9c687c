package io.github.rpcrdma4j.cli.gateway;

import io.github.rpcrdma4j.cli.connect.ProviderOptions;
import io.github.rpcrdma4j.cli.connect.Trace;
import io.github.rpcrdma4j.cli.connect.TransportAddress;
import io.github.rpcrdma4j.cli.connect.VersionOptions;
import io.github.rpcrdma4j.cli.serve.HandleKey;
import io.github.rpcrdma4j.cli.service.KeptAnswers;
import io.github.rpcrdma4j.cli.service.LogOptions;
import io.github.rpcrdma4j.cli.service.ReportOptions;
import io.github.rpcrdma4j.cli.service.ServerLife;
import io.github.rpcrdma4j.cli.service.StateFiles;
import io.github.rpcrdma4j.cli.terminal.Count;
import io.github.rpcrdma4j.cli.terminal.FailureText;
import io.github.rpcrdma4j.gateway.Gateway;
import io.github.rpcrdma4j.gateway.GatewayLimits;
import io.github.rpcrdma4j.gateway.NamedUpstream;
import io.github.rpcrdma4j.gateway.RdmaUpstream;
import io.github.rpcrdma4j.gateway.TcpUpstream;
import io.github.rpcrdma4j.gateway.Upstream;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.tcp.PrivilegedPorts;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
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
        description = "Pass calls of NFS between TCP and RPC-over-RDMA.",
        footer = {
            "",
            "Each client has one connection to the server from its first call on, which ends with"
                    + " the client's. The server"
                    + " sees the address of the gateway. --trace records the side on RDMA only.",
            "",
            "Example: rpcrdma gateway --listen rdma://:20049 --to tcp://nfs.example.org:2049",
            "The reverse: rpcrdma gateway --listen tcp://:2049 --to rdma://nfs.example.org:20049"
        })
public final class GatewayCommand implements Callable<Integer> {
    private static final Logger LOG = System.getLogger(GatewayCommand.class.getName());

    /** A Linux client gives up a connection that is not accepted within 5 seconds. */
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(4);

    /** The most connections to the server that one may ask for. */
    private static final int CONNECTIONS = 1024;

    /** Of them, from ports below 1024: there are few, and some are left to others. */
    private static final int CONNECTIONS_FROM_LOW_PORTS = 256;

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
            names = {"--max-message", "--max-results"},
            paramLabel = "BYTES",
            description =
                    "The longest call, and the longest results for which there is room"
                            + " (1114112). The option has two names; give one.")
    private Long maxMessage;

    @Option(
            names = "--connections",
            paramLabel = "NUMBER",
            description =
                    "The most connections to the server (96). The server counts them all for the"
                            + " gateway's address. When all are in use, hosts with many make room for hosts with"
                            + " few.")
    private Integer connections;

    @Option(
            names = "--program",
            paramLabel = "NUMBER",
            description =
                    "Pass this RPC program, too, beside NFS, MOUNT and NFSACL; may be repeated."
                            + " The server sees its calls at the address of the gateway, so name"
                            + " none that believes what that address says. No call then comes"
                            + " from a port below 1024.")
    private List<Integer> programs = List.of();

    @Mixin private final VersionOptions version = new VersionOptions(VersionOptions.Choice.AUTO);

    @Mixin private final ProviderOptions providers = new ProviderOptions();

    @Mixin private final ReportOptions reports = new ReportOptions();

    @Mixin private final Trace trace = new Trace();
    @Mixin private final LogOptions log = new LogOptions();

    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    private final ServerLife life = new ServerLife();

    /**
     * The listening side of a gateway.
     *
     * @param state returns its connections and calls
     * @param failure completes if the server cannot continue
     * @param stop stops the server
     */
    private record Front(
            TransportAddress address,
            Supplier<GatewayReport.Front> state,
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
        life.begin();
        try {
            return log.during(() -> pass(spec.commandLine().getOut()));
        } finally {
            life.cleanedUp();
        }
    }

    /** Returns the exit code. */
    private int pass(PrintWriter out) throws IOException, InterruptedException {
        reports.requirePossible();
        KeptAnswers.forget();
        var server = TransportAddress.parseName(to);
        var wanted = TransportAddress.parse(listen);
        var limits = limits(server.transport());
        try (trace) {
            providers.requirePossible(trace);
            if (trace.isWanted()) {
                providers.software(trace);
            }
            var gateway =
                    new Gateway(upstream(server, limits), limits, Set.copyOf(programs), key());
            try (var front = front(wanted, gateway, limits)) {
                log.reload().onSignal(out);
                out.printf(
                        "%s: calls go to %s%s%n", front.address(), server, ports(server, programs));
                LOG.log(
                        Level.INFO,
                        "started: passes calls from {0} to {1}",
                        front.address(),
                        server);
                out.println("Passing calls. Stop with Ctrl-C.");
                out.flush();
                life.awaitStop(
                        Optional.empty(),
                        reports.period(),
                        () ->
                                reports.print(
                                        out,
                                        () ->
                                                GatewayReport.of(
                                                        front.state().get(), gateway.statistics())),
                        List.of(front.failure()));
                LOG.log(Level.INFO, "stopping");
                out.printf("Stopped: %s%n", words(front.state().get()));
                out.flush();
            }
        }
        return CommandLine.ExitCode.OK;
    }

    private GatewayLimits limits(TransportAddress.Transport towards) {
        var limits = GatewayLimits.DEFAULT;
        if (connections != null) {
            int most =
                    towards == TransportAddress.Transport.TCP && PrivilegedPorts.areUsable()
                            ? CONNECTIONS_FROM_LOW_PORTS
                            : CONNECTIONS;
            if (connections < 2 || connections > most) {
                throw new IllegalArgumentException(
                        "--connections is a number from 2 to %d: %d".formatted(most, connections));
            }
            limits = limits.withConnectionsMax(connections);
        }
        if (maxMessage == null) {
            return limits;
        }
        try {
            return limits.withMessageMax(maxMessage);
        } catch (IllegalArgumentException outOfRange) {
            throw new IllegalArgumentException(
                    "--max-message (or --max-results): " + outOfRange.getMessage(), outOfRange);
        }
    }

    /**
     * Returns the key by which each host gets its own XIDs at the server. It is stored, so that the
     * server recognizes the calls that clients repeat after a restart of the gateway.
     */
    private byte[] key() {
        try {
            return HandleKey.load(StateFiles.directory().resolve("gateway.key"));
        } catch (IOException notKept) {
            spec.commandLine()
                    .getErr()
                    .println(
                            "rpcrdma: warning: "
                                    + FailureText.oneLine(notKept)
                                    + "; after a restart of the gateway, the server will not"
                                    + " recognize the calls that clients repeat");
            return HandleKey.random();
        }
    }

    /** Returns from which ports the gateway connects to the server, if that matters there. */
    private static String ports(TransportAddress server, List<Integer> programs) {
        return switch (server.transport()) {
            case TCP ->
                    programs.isEmpty() && PrivilegedPorts.areUsable()
                            ? ", from ports below 1024 for clients that use such ports, or RDMA"
                            : ", from ports above 1023: a server that requires secure ports"
                                    + " refuses its calls";
            case RDMA -> "";
        };
    }

    private Upstream upstream(TransportAddress server, GatewayLimits limits)
            throws IOException, InterruptedException {
        NamedUpstream.Addressed addressed =
                switch (server.transport()) {
                    case TCP -> {
                        boolean isPrivileged = PrivilegedPorts.areUsable();
                        yield (address, timeout) ->
                                new TcpUpstream(
                                        address, timeout, limits.messageMax(), isPrivileged);
                    }
                    case RDMA ->
                            (address, timeout) ->
                                    new RdmaUpstream(
                                            address,
                                            () ->
                                                    RpcRdmaClient.builder()
                                                            .provider(towards(address))
                                                            .profile(version.profile())
                                                            .connectTimeout(timeout));
                };
        if (!server.address().isUnresolved()) {
            if (server.transport() == TransportAddress.Transport.RDMA) {
                providers.towards(server.address(), trace);
            }
            return addressed.at(server.address(), CONNECT_TIMEOUT);
        }
        var named = new NamedUpstream(server.address(), CONNECT_TIMEOUT, addressed);
        try {
            named.check();
        } catch (RpcException unknown) {
            // The resolver may come up later than this process.
            spec.commandLine()
                    .getErr()
                    .println(
                            "rpcrdma: warning: "
                                    + FailureText.oneLine(unknown)
                                    + "; each client asks again");
        }
        return named;
    }

    /** Returns the provider for a connection to an address of the server. */
    private RdmaProvider towards(InetSocketAddress server) throws RpcException {
        try {
            return providers.towards(server, trace);
        } catch (IOException none) {
            throw new RpcException.Unreachable(none.getMessage(), none);
        }
    }

    private Front front(TransportAddress wanted, Gateway gateway, GatewayLimits limits)
            throws IOException {
        return switch (wanted.transport()) {
            case TCP -> {
                var server = TcpRpcServer.listen(wanted.address(), gateway, limits.tcpOptions());
                yield new Front(
                        wanted.at(server.address()),
                        () -> state(server),
                        server.failure(),
                        server::close);
            }
            case RDMA -> {
                var server =
                        limits.rdmaSettings(RpcRdmaServer.builder())
                                .provider(providers.at(wanted.address(), trace))
                                .address(wanted.address())
                                .calls(gateway)
                                .profile(version.profile())
                                .start();
                yield new Front(
                        wanted.at(server.address()),
                        () -> state(server),
                        server.failure(),
                        server::close);
            }
        };
    }

    private static GatewayReport.Front state(TcpRpcServer server) {
        var counters = server.statistics();
        return new GatewayReport.Front(
                server.openConnections(),
                server.clients(),
                server.leasedMemory(),
                counters.connectionsOpened(),
                counters.connectionsRefused(),
                counters.connectionsBroken(),
                counters.calls());
    }

    private static GatewayReport.Front state(RpcRdmaServer server) {
        var counters = server.statistics();
        return new GatewayReport.Front(
                server.openConnections(),
                server.clients(),
                server.leasedMemory(),
                counters.value(Counter.CONNECTIONS_OPENED),
                counters.value(Counter.CONNECTIONS_REFUSED),
                server.turnedAway() + counters.value(Counter.PEERS_STALLED),
                counters.value(Counter.CALLS));
    }

    private static String words(GatewayReport.Front front) {
        return "%s now, %s in all, %s"
                .formatted(
                        Count.words(front.connections(), "connection"),
                        front.opened(),
                        Count.words(front.calls(), "call"));
    }
}
