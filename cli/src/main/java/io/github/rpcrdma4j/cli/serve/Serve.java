package io.github.rpcrdma4j.cli.serve;

import io.github.rpcrdma4j.cli.connect.ProfileOptions;
import io.github.rpcrdma4j.cli.connect.ProviderOptions;
import io.github.rpcrdma4j.cli.connect.Trace;
import io.github.rpcrdma4j.cli.connect.VersionOptions;
import io.github.rpcrdma4j.cli.metrics.MetricsOptions;
import io.github.rpcrdma4j.cli.metrics.ServerMetrics;
import io.github.rpcrdma4j.cli.service.ControlSocket;
import io.github.rpcrdma4j.cli.service.ControlledServer;
import io.github.rpcrdma4j.cli.service.KeptAnswers;
import io.github.rpcrdma4j.cli.service.LogOptions;
import io.github.rpcrdma4j.cli.service.ReportOptions;
import io.github.rpcrdma4j.cli.service.ServerLife;
import io.github.rpcrdma4j.cli.service.ServerProbe;
import io.github.rpcrdma4j.cli.service.ServerReport;
import io.github.rpcrdma4j.cli.service.ServerSummary;
import io.github.rpcrdma4j.cli.service.StateFiles;
import io.github.rpcrdma4j.cli.terminal.FailureText;
import io.github.rpcrdma4j.cli.terminal.Printable;
import io.github.rpcrdma4j.cli.terminal.RawArguments;
import io.github.rpcrdma4j.cli.terminal.StandardOutput;
import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.server.Nfs4Options;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.users.KerberosUsers;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;

/** Serves directories until the process is interrupted. */
@Command(
        name = "serve",
        description = "Serve directories over NFS versions 3 and 4 on RPC-over-RDMA.",
        footer = {
            "",
            "A directory is exported under its own name; DIRECTORY=/NAME gives it another.",
            "mem: is an empty directory in memory, exported as /mem.",
            "",
            "Example: rpcrdma serve /srv/data",
            "For a network: rpcrdma serve /srv/data --allow 192.0.2.0/24,no_root_squash --allow"
                    + " any,ro --tcp :2049",
            "With Kerberos: rpcrdma serve /srv/data --sec krb5p,krb5i --keytab FILE --principal"
                    + " nfs/HOST",
            "By a file: rpcrdma serve --config /etc/rpcrdma4j/serve.toml"
        })
public final class Serve implements Callable<Integer> {
    /** The options that say something about one run, beside a file with all others. */
    private static final Set<String> ALONE = Set.of("--config", "--check", "--debug");

    @Mixin private final ExportOptions directories = new ExportOptions();

    @Option(
            names = "--config",
            paramLabel = "FILE",
            converter = RawArguments.PathConverter.class,
            description =
                    "Take all that is served, and every option, from this file. SIGHUP and rpcrdma"
                            + " reload have it read again.")
    private Path config;

    @Option(
            names = "--check",
            description =
                    "With --config: print what would be served, or every mistake, and serve"
                            + " nothing.")
    private boolean check;

    @Mixin private final ListenOptions listening = new ListenOptions();

    @Mixin private final ServedVersions versions = new ServedVersions();

    @Option(
            names = "--async-copies",
            description =
                    "Go on with long copies of version 4.2 after the reply, and call the client"
                            + " when they have ended. A client of Linux that misses the call waits for"
                            + " ever.")
    private boolean asyncCopies;

    @Option(
            names = "--delegated-times",
            description =
                    "Let clients of version 4.2 keep the times of files with their delegations (RFC"
                            + " 9754). Clients of Linux then lose times that a program sets, as cp"
                            + " -a and tar do.")
    private boolean delegatedTimes;

    @Mixin private final RecoveryOptions recovery = new RecoveryOptions();

    @Mixin private ServerSecurityOptions security;

    @Mixin private final RegistrationOptions rpcbind = new RegistrationOptions();

    @Mixin private final ProfileOptions wire = new ProfileOptions(VersionOptions.Choice.AUTO);

    @Mixin private final ProviderOptions providers = new ProviderOptions();

    @Mixin private final ReportOptions reports = new ReportOptions();

    @Mixin private final MetricsOptions metrics = new MetricsOptions();

    @Mixin private final Trace trace = new Trace();

    @Mixin private final LogOptions log = new LogOptions();

    @Mixin private final AuditOptions audit = new AuditOptions();

    private static final Logger LOG = System.getLogger(Serve.class.getName());

    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    private final ServerLife life = new ServerLife();

    /** What the options come from; null if they are those of the command line. */
    private ServerConfig configured;

    /** Whether the server listens on soft-iWARP, which reaches itself on loopback. */
    private boolean isSoftIwarp;

    @Override
    public Integer call() throws Exception {
        KeptAnswers.forget();
        if (config != null) {
            return serveByFile();
        }
        if (check) {
            throw new IllegalArgumentException("--check is about a file: --config FILE --check");
        }
        if (configured == null && !directories.areGiven()) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), "Missing required parameter: 'DIRECTORY'");
        }
        life.begin();
        try {
            return log.during(this::serve);
        } catch (StandardOutput.Failed unwritten) {
            throw unwritten;
        } catch (UncheckedIOException unclean) {
            // The process may end before anything else prints it.
            var err = spec.commandLine().getErr();
            err.println("rpcrdma: " + Printable.line(unclean.getMessage()));
            err.flush();
            return CommandLine.ExitCode.SOFTWARE;
        } finally {
            life.cleanedUp();
        }
    }

    private int serveByFile() throws Exception {
        var command = spec.commandLine();
        requireAlone(command.getParseResult());
        try {
            if (check) {
                ServerConfig.check(config, command);
                return CommandLine.ExitCode.OK;
            }
            var read = ServerConfig.read(config, command);
            read.serve().configured = read;
            return read.serve().call();
        } catch (ConfigMistakes.Wrong wrong) {
            wrong.lines().forEach(each -> command.getErr().println("rpcrdma: " + each));
            return !check && wrong.isOfFile()
                    ? CommandLine.ExitCode.USAGE
                    : CommandLine.ExitCode.SOFTWARE;
        }
    }

    /** Options come from the file or from the command line, so that no order decides. */
    private static void requireAlone(CommandLine.ParseResult parsed) {
        var others =
                parsed.matchedOptions().stream()
                        .map(OptionSpec::longestName)
                        .filter(each -> !ALONE.contains(each))
                        .findFirst();
        if (others.isPresent() || !parsed.matchedPositionals().isEmpty()) {
            throw new IllegalArgumentException(
                    "with --config, everything is in the file: leave out "
                            + others.orElse("the directories"));
        }
    }

    /**
     * Adds what is wrong with the options of a file.
     *
     * @return the flavors of its exports
     */
    List<SecurityFlavor> check(ConfigFile text, ConfigMistakes mistakes) {
        if (listening.check(text, mistakes)) {
            mistakes.check(
                    text.line(text.line("grace") == 0 ? "lease" : "grace"),
                    () -> recovery.options(listening.first(), false));
        }
        if (metrics.isGiven()) {
            mistakes.check(text.line("metrics"), metrics::address);
        }
        mistakes.check(
                text.line(reports.period().isEmpty() ? "json" : "report"),
                reports::requirePossible);
        mistakes.check(text.line("vers"), versions::requirePossible);
        mistakes.check(text.line("rfc5666"), wire::profile);
        mistakes.check(text.line("provider"), () -> providers.requirePossible(trace));
        mistakes.check(text.line("log-file"), log::requirePossible);
        mistakes.check(text.line("audit"), () -> audit.requirePossible(log));
        boolean isKnown = mistakes.check(text.line("sec"), () -> security.flavors());
        return isKnown ? security.flavors() : List.of(SecurityFlavor.SYS);
    }

    /** Describes where a server by a file would listen. */
    void describeAddresses(PrintWriter out) {
        var addresses = listening.addresses(security.flavors(), false);
        addresses.rdma().forEach(each -> describe(out, "over RDMA", each));
        addresses.tcp().forEach(each -> describe(out, "over TCP", each));
        if (metrics.isGiven()) {
            describe(out, "metrics over HTTP", metrics.address());
        }
    }

    private static void describe(PrintWriter out, String what, InetSocketAddress address) {
        boolean isAll = !address.isUnresolved() && address.getAddress().isAnyLocalAddress();
        out.println(
                what
                        + ": "
                        + (isAll
                                ? "port " + address.getPort() + " of all addresses"
                                : HostPort.text(address)));
    }

    /** Checks whether the Kerberos keys can be used. */
    void checkKerberos() throws IOException {
        security.kerberos().ifPresent(ServerSecurityOptions.Kerberos::close);
    }

    /** Returns the options about the log. */
    LogOptions log() {
        return log;
    }

    /** Returns the option about the audit. */
    AuditOptions audit() {
        return audit;
    }

    private List<Export> exports() throws IOException {
        return configured == null ? directories.exports(security.flavors()) : configured.exports();
    }

    /** A file has a rule for each export; options may have none. */
    private ListenOptions.Addresses addresses() {
        return listening.addresses(
                security.flavors(), configured == null && !directories.haveRules());
    }

    private boolean isInMemory() {
        return configured == null && directories.areInMemory();
    }

    private int serve() throws IOException, InterruptedException {
        var out = spec.commandLine().getOut();
        reports.requirePossible();
        versions.requirePossible();
        audit.requirePossible(log);
        var exports = exports();
        var addresses = addresses();
        var options =
                versions.of(recovery.options(addresses.rdma().getFirst(), isInMemory()))
                        .withAsyncCopies(asyncCopies)
                        .withDelegatedTimes(delegatedTimes);
        var kerberos = security.kerberos();
        if (options.records().filter(Files::notExists).isPresent()) {
            // A first start that cannot listen leaves no directory of records.
            addresses.requireFree();
        }
        byte[] key = isInMemory() ? HandleKey.random() : handleKey(out, options);
        var identities =
                kerberos.map(ServerSecurityOptions.Kerberos::identities).orElse(KerberosUsers.NONE);
        try (var contexts = kerberos.orElse(null);
                var changes = audit.open();
                var nfs = new NfsServer(exports, key, identities, options)) {
            if (changes != null) {
                nfs.setAudit(changes);
            }
            var dispatcher =
                    new RpcDispatcher(
                            versions.programs(nfs, !addresses.tcp().isEmpty()),
                            contexts == null ? List.of() : List.of(contexts.contexts()));
            serve(out, nfs, dispatcher, addresses);
        }
        return CommandLine.ExitCode.OK;
    }

    private static byte[] handleKey(PrintWriter out, Nfs4Options options) throws IOException {
        var file = HandleKey.path();
        StateFiles.make();
        boolean isNew = Files.notExists(file);
        byte[] key = HandleKey.load(file);
        if (isNew && options.records().filter(Files::isDirectory).isPresent()) {
            out.println(
                    "%s was not there and is new: clients of earlier starts have stale file handles, and mount again"
                            .formatted(file));
        }
        return key;
    }

    /** Returns what clients ask rpcbind for (RFC 8267-4.2-1, 8267-4.2-2). */
    private RegistrationOptions.Served registered(
            NfsServer nfs, RpcRdmaServer rdma, TcpRpcServer stream, UdpListeners monitors) {
        return new RegistrationOptions.Served(
                versions.programs(nfs, false).stream().map(RpcProgram::id).toList(),
                versions.lockPrograms(nfs).stream().map(RpcProgram::id).toList(),
                RegistrationOptions.widestFirst(rdma.addresses()),
                RegistrationOptions.widestFirst(addresses(stream)),
                monitors == null
                        ? List.of()
                        : RegistrationOptions.widestFirst(monitors.addresses()));
    }

    private void serve(
            PrintWriter out,
            NfsServer nfs,
            RpcDispatcher dispatcher,
            ListenOptions.Addresses addresses)
            throws IOException, InterruptedException {
        try (trace;
                var rdma = ListenOptions.atRdma(() -> listenRdma(dispatcher, addresses.rdma()));
                var stream = listenTcp(dispatcher, addresses.tcp());
                var monitors = listenUdp(out, nfs, stream);
                var registered = rpcbind.register(out, registered(nfs, rdma, stream, monitors))) {
            var announcement =
                    new Announcement(
                            rdma.addresses(),
                            security.host(),
                            addresses(stream),
                            versions,
                            registered.hasLocks());
            var figures =
                    new ServerMetrics(
                            rdma, Optional.ofNullable(stream), dispatcher.statistics(), nfs);
            try (var _ = listenToAdministrator(out, nfs, announcement, figures);
                    var _ = metrics.listen(out, figures)) {
                serve(out, nfs, rdma, stream, announcement);
            }
        }
    }

    private void serve(
            PrintWriter out,
            NfsServer nfs,
            RpcRdmaServer rdma,
            TcpRpcServer stream,
            Announcement announcement)
            throws IOException, InterruptedException {
        for (var description : nfs.descriptions()) {
            announcement.print(out, description, nfs.withoutVersion2());
        }
        if (announcement.locks()) {
            nfs.tellHosts();
        }
        announcement.printOtherAddresses(out);
        if (!listening.isTcpWanted() && stream != null) {
            out.printf("%s: %s%n", HostPort.text(stream.address()), ServerSecurityOptions.WHY_TCP);
        }
        LOG.log(Level.INFO, () -> announcement.started(nfs.descriptions().size()));
        out.println("Serving. Stop with Ctrl-C.");
        out.flush();
        life.awaitStop(
                ServerProbe.of(rdma, isSoftIwarp),
                reports.period(),
                () -> reports.print(out, () -> ServerReport.of(rdma, nfs.statistics())),
                failures(rdma, stream));
        LOG.log(Level.INFO, "stopping");
        ServerSummary.print(out, rdma, nfs.statistics());
    }

    /**
     * Lets clients tell over UDP that they have restarted, at the addresses of TCP; Linux does so.
     * Goes on without if that fails.
     *
     * @return null if there is none
     */
    private UdpListeners listenUdp(PrintWriter out, NfsServer nfs, TcpRpcServer stream) {
        if (stream == null || !rpcbind.isWanted() || versions.lockPrograms(nfs).isEmpty()) {
            return null;
        }
        try {
            return UdpListeners.listen(stream.addresses(), List.of(nfs.statusMonitor()));
        } catch (IOException refused) {
            out.println(
                    Printable.line(FailureText.oneLine(refused))
                            + " over UDP; clients of version 3 keep their locks when they restart");
            return null;
        }
    }

    private RpcRdmaServer listenRdma(RpcDispatcher dispatcher, List<InetSocketAddress> addresses)
            throws IOException {
        var chosen = providers.at(addresses, trace);
        isSoftIwarp = chosen instanceof IwarpProvider;
        return RpcRdmaServer.builder()
                .provider(chosen)
                .addresses(addresses)
                .dispatcher(dispatcher)
                .profile(wire.profile())
                .start();
    }

    /**
     * Opens the control socket; serves without one if that fails.
     *
     * @return null if there is none
     */
    private ControlSocket listenToAdministrator(
            PrintWriter out, NfsServer nfs, Announcement announcement, ServerMetrics figures) {
        var path = StateFiles.control(StateFiles.instance(announcement.rdma().getFirst()));
        try {
            var reload =
                    configured == null
                            ? audit.reload(log.reload())
                            : new Reloading(configured, spec.commandLine(), nfs, announcement, out);
            reload.onSignal(out);
            var server =
                    new ControlledServer(nfs.administration(), reload, figures::textOfConnections);
            var socket = ControlSocket.listen(path, server);
            out.println("To see its clients: rpcrdma clients --control " + path);
            return socket;
        } catch (IOException unusable) {
            out.println(
                    "no control socket at %s: %s"
                            .formatted(path, Printable.line(FailureText.oneLine(unusable))));
            return null;
        }
    }

    private static List<CompletionStage<Throwable>> failures(
            RpcRdmaServer rdma, TcpRpcServer stream) {
        return stream == null ? List.of(rdma.failure()) : List.of(rdma.failure(), stream.failure());
    }

    private static List<InetSocketAddress> addresses(TcpRpcServer stream) {
        return stream == null ? List.of() : stream.addresses();
    }

    /**
     * @param addresses empty if nothing is served over TCP
     * @return null then
     */
    private TcpRpcServer listenTcp(RpcDispatcher dispatcher, List<InetSocketAddress> addresses)
            throws IOException {
        return addresses.isEmpty()
                ? null
                : listening.atTcp(
                        () -> TcpRpcServer.listen(addresses, dispatcher, TcpRpcOptions.DEFAULT));
    }
}
