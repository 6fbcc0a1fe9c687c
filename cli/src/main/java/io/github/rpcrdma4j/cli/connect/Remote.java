package io.github.rpcrdma4j.cli.connect;

import io.github.rpcrdma4j.cli.terminal.AddressText;
import io.github.rpcrdma4j.cli.terminal.Printable;
import io.github.rpcrdma4j.cli.terminal.Progress;
import io.github.rpcrdma4j.cli.terminal.Section;
import io.github.rpcrdma4j.cli.terminal.WaitText;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.MountConnector;
import io.github.rpcrdma4j.nfs.client.NfsClient;
import io.github.rpcrdma4j.nfs.client.NfsConnector;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.FileService;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.service.Waits;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.tcp.PrivilegedPorts;
import io.github.rpcrdma4j.oncrpc.tcp.TcpClientOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpConnector;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** The options and the connection of all commands that talk to a server. */
@Section(Section.Heading.CONNECTION)
public final class Remote implements Closeable {
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
                    "Try to reconnect for this long when the server goes away, once connected"
                            + " (${DEFAULT-VALUE}: once, at once).")
    private int retrySeconds;

    @Option(
            names = "--connections",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "Spread the calls over so many connections, 1 to 16 (${DEFAULT-VALUE}), as nconnect"
                            + " of a mount does; fewer if the server takes no more.")
    private int connections;

    /** A command without a progress line says after this time for what it waits. */
    private static final Duration WAIT_TOLD = Duration.ofSeconds(3);

    @Mixin private final ProviderOptions providers = new ProviderOptions();

    @Option(
            names = "--mount-tcp",
            paramLabel = "[HOST:]PORT",
            description =
                    "Use version 3, and ask for exports over TCP at this port, of the server or of"
                            + " another host; for version 3 over RDMA, a Linux server needs it.")
    private String mountTcp;

    @Option(
            names = "--vers",
            paramLabel = "2|3|4.0|4.1|4.2",
            converter = NfsVersionWords.class,
            description =
                    "The version of NFS; without it the newest of 4.2, 4.1 and 3 that the server has."
                            + " 2 is for servers that know no other, and for files of less than 4"
                            + " GiB. 4.0, 4.1 and 4.2 need no MOUNT.")
    private NfsVersion asked;

    private List<NfsVersion> usual = ClientOptions.USUAL_VERSIONS;

    @Mixin private final ProfileOptions wire = new ProfileOptions(VersionOptions.Choice.ONE);

    @Option(
            names = {"-v", "--verbose"},
            description =
                    "Name each file that is copied or removed, on standard error; at the end print"
                            + " the version of RPC-over-RDMA, and how bytes moved.")
    private boolean verbose;

    @Mixin private final Trace trace = new Trace();

    @Mixin private CallerOptions flavor;

    @Mixin private final RpcbindOptions rpcbind = new RpcbindOptions();

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    private volatile Consumer<String> notices =
            line -> command.commandLine().getErr().println(line);

    private final Waits waits = new Waits();

    /** Tells of long waits, once there is a connection; null before. */
    private Thread teller;

    private volatile boolean areWaitsShown;

    /** What connects to the servers of this command, with what they said to it before. */
    private final Map<String, NfsConnector> connectors = new TreeMap<>();

    /** The connections over RDMA, in their order. */
    private final List<RpcRdmaClient> connected = new CopyOnWriteArrayList<>();

    /** Who says where MOUNT is wants a version that has it. */
    private List<NfsVersion> versions() {
        if (asked != null) {
            return List.of(asked);
        }
        return mountTcp == null ? usual : List.of(NfsVersion.VERSION_3);
    }

    /** Sets the versions of NFS that are tried if the user asks for none. */
    public void setUsualVersions(List<NfsVersion> versions) {
        usual = versions;
    }

    public ClientOptions options() {
        if (deadlineSeconds < 1 || retrySeconds < 0) {
            throw new IllegalArgumentException(
                    "--deadline must be positive, and --retry not negative");
        }
        if (connections < 1 || connections > ClientOptions.CONNECTIONS_MAX) {
            throw new IllegalArgumentException(
                    "--connections must be 1 to " + ClientOptions.CONNECTIONS_MAX);
        }
        return ClientOptions.DEFAULT
                .withTimeout(Duration.ofSeconds(deadlineSeconds))
                .withRetry(Duration.ofSeconds(retrySeconds))
                .withConnections(connections)
                .withVersions(versions())
                .withWaits(waits);
    }

    /** Reads a version of NFS. */
    static final class NfsVersionWords implements ITypeConverter<NfsVersion> {
        @Override
        public NfsVersion convert(String word) {
            return Arrays.stream(NfsVersion.values())
                    .filter(each -> each.words().equals(word))
                    .findFirst()
                    .orElseThrow(
                            () ->
                                    new TypeConversionException(
                                            "it is 2, 3, 4.0, 4.1 or 4.2, not " + word));
        }
    }

    public FileService service(NfsUrl url) throws IOException, InterruptedException {
        return connector(url).connect();
    }

    /**
     * Mounts the export that holds the path of a URL. If only version 3 has that path, version 3 is
     * used, unless the user asked for another one.
     */
    public NfsMount mount(NfsUrl url) throws IOException, InterruptedException {
        return connector(url).mount(url.path(), this::reportOlder);
    }

    /** Mounts by version 3 what the mount of the same server by version 4 does not have. */
    Optional<NfsMount> olderMount(NfsMount mounted, NfsUrl url)
            throws IOException, InterruptedException {
        return connector(url).olderMount(mounted, url.path(), this::reportOlder);
    }

    private void reportOlder(PathName export) {
        if (verbose) {
            notices.accept(
                    "using version 3 of NFS: "
                            + Printable.line(export.escaped())
                            + " is no path of the server in version 4");
        }
    }

    /** Returns what connects to the server of a URL. */
    private NfsConnector connector(NfsUrl url) throws IOException, InterruptedException {
        var known = connectors.get(url.server().toString());
        if (known != null) {
            return known;
        }
        flavor.prepare();
        var options = options().withCaller(flavor.credential());
        var made =
                switch (url.transport()) {
                    case RDMA -> overRdma(url, options);
                    case TCP -> overTcp(url, options);
                };
        connectors.put(url.server().toString(), made);
        if (teller == null) {
            teller = Thread.ofVirtual().name("waits").start(this::tellWaits);
        }
        return made;
    }

    /** Tells of each kind of wait that lasts, unless a progress line shows it. */
    private void tellWaits() {
        try {
            var told = EnumSet.noneOf(Waits.Reason.class);
            while (told.size() < Waits.Reason.values().length) {
                var wait = waits.awaitLasting(WAIT_TOLD);
                if (!areWaitsShown && told.add(wait.reason())) {
                    notices.accept(WaitText.of("rpcrdma", wait));
                }
                waits.awaitEnd(wait.reason());
            }
        } catch (InterruptedException _) {
            // The command has ended.
        }
    }

    /** Lets a progress display print the lines for the user, and show waits if it can. */
    public void showIn(Progress progress) {
        setNoticePrinter(progress::println);
        areWaitsShown = progress.shows(waits);
    }

    private NfsConnector overRdma(NfsUrl url, ClientOptions options)
            throws IOException, InterruptedException {
        var profile = wire.profile();
        providers.requirePossible(trace);
        var addresses = rpcbind.addresses(url, options);
        var provider = providers.towards(addresses.nfs(), trace);
        var nfs =
                new RemoteConnector(
                        callBacks -> {
                            var builder =
                                    RpcRdmaClient.builder()
                                            .provider(provider)
                                            .credential(options.caller())
                                            .bindings(options.bindings())
                                            .profile(profile);
                            callBacks.ifPresent(builder::callBackProgram);
                            var made = builder.connect(addresses.nfs());
                            connected.add(made);
                            return flavor.protect(made, url.host());
                        },
                        Optional.empty(),
                        profile.callsBothWays());
        var mount = mountAddress(url, addresses);
        return new NfsConnector(
                nfs, mount.isPresent() ? mountOverTcp(mount.get(), options) : nfs, options);
    }

    private NfsConnector overTcp(NfsUrl url, ClientOptions options)
            throws IOException, InterruptedException {
        if (trace.isWanted()) {
            throw new IllegalArgumentException(
                    "--trace records soft-iWARP, and " + url + " is reached over TCP");
        }
        var addresses = rpcbind.addresses(url, options);
        var settings = tcpOptions(options.caller(), options);
        var nfs =
                new RemoteConnector(
                        callBacks -> {
                            var serving =
                                    new TcpConnector(
                                            addresses.nfs(),
                                            options.caller(),
                                            settings.withRecordMax(NfsClient.REPLY_BYTES_MAX),
                                            callBacks.stream().toList());
                            return flavor.protect(serving.connect(), url.host());
                        },
                        Optional.empty(),
                        true);
        var mount = mountAddress(url, addresses);
        if (mount.isPresent()) {
            return new NfsConnector(nfs, mountOverTcp(mount.get(), options), options);
        }
        var asUser = new TcpConnector(addresses.nfs(), CallerOptions.user(), settings);
        return new NfsConnector(
                nfs, new MountConnector(asUser, options.mountVersion(), settings), options);
    }

    /** Root calls from a port below 1024 where it may, as many servers want it. */
    private static TcpClientOptions tcpOptions(Credential caller, ClientOptions options) {
        var within = TcpClientOptions.within(options.timeout());
        boolean isRoot = caller instanceof Credential.Sys user && user.uid() == 0;
        return isRoot && PrivilegedPorts.areUsable()
                ? within.withPortSeed(OptionalInt.of(ThreadLocalRandom.current().nextInt()))
                : within;
    }

    /** Returns whether the user wants to see the names of files, and how bytes moved. */
    public boolean isVerbose() {
        return verbose;
    }

    /** Reports that a connection was lost. The client then tries to establish it again. */
    void reportLost(RpcException why) {
        // The command itself gave up this call, and reports that anyway.
        if (!(why instanceof RpcException.CallGivenUp)) {
            notices.accept("reconnecting: " + Printable.line(why.getMessage()));
        }
    }

    /** Sets the printer of lines for the user. Without one they go to standard error. */
    public void setNoticePrinter(Consumer<String> printer) {
        notices = printer;
    }

    /**
     * Returns where MOUNT is over TCP, if that is known. Behind a gateway, it is at another host
     * than NFS.
     */
    private Optional<InetSocketAddress> mountAddress(
            NfsUrl url, RpcbindOptions.Addresses addresses) {
        if (mountTcp == null) {
            return addresses.mount();
        }
        return Optional.of(
                mountTcp.matches("\\d{1,9}")
                        ? new InetSocketAddress(
                                url.host(), AddressText.requirePort(Integer.parseInt(mountTcp)))
                        : AddressText.parse(mountTcp));
    }

    /**
     * Connects to MOUNT over TCP. Its replies hold no secrets, and servers answer without
     * authentication.
     */
    private static TcpConnector mountOverTcp(InetSocketAddress address, ClientOptions options) {
        var user = CallerOptions.user();
        return new TcpConnector(address, user, tcpOptions(user, options));
    }

    /** Makes one connection, which carries calls of the server to a program if there is one. */
    private interface Connecting {
        RpcClient connect(Optional<RpcProgram> callBacks) throws RpcException, InterruptedException;
    }

    /** Connects, and reports connections that were lost. */
    private final class RemoteConnector implements Connector {
        private final Connecting connecting;
        private final Optional<RpcProgram> callBacks;

        /** Whether connections can carry calls of the server. */
        private final boolean callsBothWays;

        RemoteConnector(
                Connecting connecting, Optional<RpcProgram> callBacks, boolean callsBothWays) {
            this.connecting = connecting;
            this.callBacks = callBacks;
            this.callsBothWays = callsBothWays;
        }

        @Override
        public RpcClient connect() throws RpcException, InterruptedException {
            return connecting.connect(callBacks);
        }

        @Override
        public Optional<Connector> serving(RpcProgram program) {
            return callsBothWays
                    ? Optional.of(new RemoteConnector(connecting, Optional.of(program), true))
                    : Optional.empty();
        }

        @Override
        public void lost(RpcException why) {
            reportLost(why);
        }
    }

    /** Returns the transport of the newest connection, for its counters; empty over TCP. */
    Optional<RpcRdmaClient> transport() {
        return connected.isEmpty() ? Optional.empty() : Optional.of(connected.getLast());
    }

    /**
     * Prints the transfer counters if the user wants that, and closes the trace. To be called after
     * the connections are closed.
     */
    @Override
    public void close() throws IOException {
        if (teller != null) {
            teller.interrupt();
        }
        if (verbose && !connected.isEmpty()) {
            var err = command.commandLine().getErr();
            err.printf("Over version %d of RPC-over-RDMA:%n", connected.getLast().version());
            TransferText.print(err, connected, wire.isRfc5666());
        }
        trace.close();
    }
}
