package io.github.rpcrdma4j.cli.serve;

import io.github.rpcrdma4j.cli.metrics.ServerMetrics;
import io.github.rpcrdma4j.cli.service.ControlSocket;
import io.github.rpcrdma4j.cli.service.ControlledServer;
import io.github.rpcrdma4j.cli.service.ServerLife;
import io.github.rpcrdma4j.cli.service.ServerProbe;
import io.github.rpcrdma4j.cli.service.ServerReport;
import io.github.rpcrdma4j.cli.service.ServerSummary;
import io.github.rpcrdma4j.cli.service.StateFiles;
import io.github.rpcrdma4j.cli.terminal.FailureText;
import io.github.rpcrdma4j.cli.terminal.Printable;
import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.server.Nfs4Options;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.host.ListenException;
import io.github.rpcrdma4j.nfs.server.host.NfsHost;
import io.github.rpcrdma4j.nfs.server.users.KerberosUsers;
import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;

/**
 * Serves until it is to stop: runs a host, tells its user how to reach it, and listens to its
 * administrator.
 *
 * <p>Tests: {@code ServeTest}, {@code ServeFaultsTest}.
 */
final class Serving {
    private static final Logger LOG = System.getLogger(Serving.class.getName());

    private final ServeOptions options;
    private final Optional<ServerConfig> config;
    private final CommandLine command;
    private final ServerLife life;
    private final PrintWriter out;

    /**
     * @param config the file that the options come from; empty if they are those of the command
     *     line
     */
    Serving(
            ServeOptions options,
            Optional<ServerConfig> config,
            CommandLine command,
            ServerLife life) {
        this.options = options;
        this.config = config;
        this.command = command;
        this.life = life;
        this.out = command.getOut();
    }

    private HostSettings settings() throws IOException {
        return config.isPresent() ? config.get().settings() : options.settings();
    }

    /**
     * Serves until it is to stop, or cannot go on.
     *
     * @throws IOException if it cannot start, or could not go on; the message is one line
     */
    void serve() throws IOException, InterruptedException {
        var settings = settings();
        var kerberos = options.security.kerberos();
        if (settings.nfs4().records().filter(Files::notExists).isPresent()) {
            // A first start that cannot listen leaves no directory of records.
            settings.addresses().requireFree();
        }
        byte[] key = settings.isInMemory() ? HandleKey.random() : handleKey(settings.nfs4());
        var identities =
                kerberos.map(ServerSecurityOptions.Kerberos::identities).orElse(KerberosUsers.NONE);
        try (var contexts = kerberos.orElse(null);
                var changes = options.audit.open();
                var server = new NfsServer(settings.exports(), key, identities, settings.nfs4())) {
            if (changes != null) {
                server.setAudit(changes);
            }
            var builder =
                    NfsHost.of(server)
                            .tcp(settings.addresses().tcp())
                            .versions(options.versions.all())
                            .authenticators(
                                    contexts == null ? List.of() : List.of(contexts.contexts()))
                            .notices(line -> out.println(Printable.line(line)));
            options.registration.rpcbind().ifPresent(builder::rpcbind);
            try (var trace = options.trace) {
                var provider = options.providers.at(settings.addresses().rdma(), trace);
                builder.rdma(
                        RpcRdmaServer.builder()
                                .provider(provider)
                                .addresses(settings.addresses().rdma())
                                .profile(options.wire.profile()));
                try (var host = builder.start()) {
                    serve(host, provider instanceof IwarpProvider);
                } catch (ListenException refused) {
                    throw options.listening.explained(refused);
                }
            }
        }
    }

    private byte[] handleKey(Nfs4Options options) throws IOException {
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

    /**
     * @param isSoftIwarp whether the host listens on soft-iWARP, which reaches itself on loopback
     */
    private void serve(NfsHost host, boolean isSoftIwarp) throws IOException, InterruptedException {
        var announcement =
                new Announcement(
                        host.rdmaAddresses(),
                        options.security.host(),
                        host.tcpAddresses(),
                        options.versions,
                        host.hasLocks());
        var figures = new ServerMetrics(host);
        try (var _ = listenToAdministrator(host.server(), announcement, figures);
                var _ = options.metrics.listen(out, figures)) {
            announce(host, announcement);
            var statistics = host.server().statistics();
            life.awaitStop(
                    ServerProbe.of(host.rdma(), isSoftIwarp),
                    options.reports.period(),
                    () ->
                            options.reports.print(
                                    out, () -> ServerReport.of(host.rdma(), statistics)),
                    List.of(host.failure()));
            LOG.log(Level.INFO, "stopping");
            ServerSummary.print(out, host.rdma(), statistics);
        }
    }

    private void announce(NfsHost host, Announcement announcement) {
        var server = host.server();
        for (var description : server.descriptions()) {
            announcement.print(out, description, server.withoutVersion2());
        }
        announcement.printOtherAddresses(out);
        if (!options.listening.isTcpWanted() && host.tcp().isPresent()) {
            var address = host.tcpAddresses().getFirst();
            out.printf("%s: %s%n", HostPort.text(address), ServerSecurityOptions.WHY_TCP);
        }
        LOG.log(Level.INFO, () -> announcement.started(server.descriptions().size()));
        out.println("Serving. Stop with Ctrl-C.");
        out.flush();
    }

    /**
     * Opens the control socket; serves without one if that fails.
     *
     * @return null if there is none
     */
    private ControlSocket listenToAdministrator(
            NfsServer server, Announcement announcement, ServerMetrics figures) {
        var path = StateFiles.control(StateFiles.instance(announcement.rdma().getFirst()));
        try {
            var reload =
                    config.<ControlledServer.Reload>map(
                                    file -> new Reloading(file, command, server, announcement, out))
                            .orElseGet(() -> options.audit.reload(options.log.reload()));
            reload.onSignal(out);
            var controlled =
                    new ControlledServer(
                            server.administration(), reload, figures::textOfConnections);
            var socket = ControlSocket.listen(path, controlled);
            out.println("To see its clients: rpcrdma clients --control " + path);
            return socket;
        } catch (IOException unusable) {
            out.println(
                    "no control socket at %s: %s"
                            .formatted(path, Printable.line(FailureText.oneLine(unusable))));
            return null;
        }
    }
}
