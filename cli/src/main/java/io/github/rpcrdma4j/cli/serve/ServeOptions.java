package io.github.rpcrdma4j.cli.serve;

import io.github.rpcrdma4j.cli.connect.ProfileOptions;
import io.github.rpcrdma4j.cli.connect.ProviderOptions;
import io.github.rpcrdma4j.cli.connect.Trace;
import io.github.rpcrdma4j.cli.connect.VersionOptions;
import io.github.rpcrdma4j.cli.metrics.MetricsOptions;
import io.github.rpcrdma4j.cli.service.LogOptions;
import io.github.rpcrdma4j.cli.service.ReportOptions;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * All options of a server, those of the command line or those of a config file.
 *
 * <p>Tests: {@code ServeTest}, {@code ConfigFileTest}.
 */
final class ServeOptions {
    @Mixin final ExportOptions directories = new ExportOptions();

    @Mixin final ListenOptions listening = new ListenOptions();

    @Mixin final ServedVersions versions = new ServedVersions();

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

    @Mixin ServerSecurityOptions security;

    @Mixin final RegistrationOptions registration = new RegistrationOptions();

    @Mixin final ProfileOptions wire = new ProfileOptions(VersionOptions.Choice.AUTO);

    @Mixin final ProviderOptions providers = new ProviderOptions();

    @Mixin final ReportOptions reports = new ReportOptions();

    @Mixin final MetricsOptions metrics = new MetricsOptions();

    @Mixin final Trace trace = new Trace();

    @Mixin final LogOptions log = new LogOptions();

    @Mixin final AuditOptions audit = new AuditOptions();

    /**
     * Returns what is to be served by the command line.
     *
     * @throws IOException if a directory cannot be exported; the message is one line
     * @throws IllegalArgumentException if something is wrong with the options
     */
    HostSettings settings() throws IOException {
        requirePossible();
        var exports = directories.exports(security.flavors());
        // A file has a rule for each export; options may have none.
        return settings(exports, !directories.haveRules(), directories.areInMemory());
    }

    /**
     * Returns what is to be served by a file with these options.
     *
     * @param exports those of the file
     * @throws IOException if the audit cannot be written; the message is one line
     * @throws IllegalArgumentException if something is wrong with the options
     */
    HostSettings settings(List<Export> exports) throws IOException {
        requirePossible();
        return settings(exports, false, false);
    }

    private void requirePossible() throws IOException {
        reports.requirePossible();
        versions.requirePossible();
        audit.requirePossible(log);
    }

    private HostSettings settings(
            List<Export> exports, boolean isForThisMachine, boolean isInMemory) {
        var addresses = listening.addresses(security.flavors(), isForThisMachine);
        var nfs4 =
                versions.of(recovery.options(addresses.rdma().getFirst(), isInMemory))
                        .withAsyncCopies(asyncCopies)
                        .withDelegatedTimes(delegatedTimes);
        return new HostSettings(exports, addresses, nfs4, isInMemory);
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
}
