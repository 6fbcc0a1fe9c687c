package io.github.rpcrdma4j.cli.serve;

import io.github.rpcrdma4j.cli.connect.CallerOptions;
import io.github.rpcrdma4j.cli.connect.MountText;
import io.github.rpcrdma4j.cli.terminal.Count;
import io.github.rpcrdma4j.cli.terminal.Version;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Tells the user of a server how clients reach its exports.
 *
 * @param rdma where the server listens for RDMA; the first one is that of its commands
 * @param name of the host, if clients have to use it
 * @param tcp where it listens over TCP, likewise; empty if it does not
 * @param versions that it serves
 * @param locks whether clients find the programs for locks
 */
record Announcement(
        List<InetSocketAddress> rdma,
        Optional<String> name,
        List<InetSocketAddress> tcp,
        ServedVersions versions,
        boolean locks) {
    /** Returns the line of the log for a server that takes calls. */
    String started(int exports) {
        return "started: %s serves %s at %s over RDMA%s"
                .formatted(
                        Version.WORDS,
                        Count.words(exports, "export"),
                        texts(rdma),
                        tcp.isEmpty() ? "" : ", and at %s over TCP".formatted(texts(tcp)));
    }

    private static String texts(List<InetSocketAddress> addresses) {
        return addresses.stream().map(HostPort::text).collect(Collectors.joining(" and "));
    }

    /** Tells where else clients reach all exports, beside the addresses of the commands. */
    void printOtherAddresses(PrintWriter out) {
        printOthers(out, rdma, "RDMA");
        printOthers(out, tcp, "TCP");
    }

    private static void printOthers(
            PrintWriter out, List<InetSocketAddress> addresses, String transport) {
        addresses.stream()
                .skip(1)
                .forEach(
                        each -> out.printf("also at %s over %s%n", HostPort.text(each), transport));
    }

    /** Tells the directory and the rules of an export. */
    static void describe(PrintWriter out, NfsServer.Description description) {
        var export = description.export();
        out.printf("%s: %s%n", export.name(), export.files());
        ExportRuleText.of(export, description.actsForCallers(), CallerOptions.user())
                .forEach(line -> out.printf("  %s%n", line));
    }

    /**
     * Tells all of an export.
     *
     * @param withoutVersion2 the exports that NFS version 2 cannot serve
     */
    void print(PrintWriter out, NfsServer.Description description, List<String> withoutVersion2) {
        describe(out, description);
        var export = description.export();
        if (!export.rules().isEmpty() && export.rules().stream().allMatch(ExportRule::isMoved)) {
            // No command finds files here.
            return;
        }
        // A Kerberos ticket is for a host name, not for an address.
        var host = name.orElse(MountText.host(rdma.getFirst()));
        var flavor = export.flavors().getFirst();
        boolean usual = flavor == SecurityFlavor.SYS;
        out.printf("  %s%n", description.files());
        if (versions.has3()) {
            out.printf(
                    "  rpcrdma ls %srdma://%s:%d%s%n",
                    usual ? "" : "--sec " + flavor.word() + " ",
                    host,
                    rdma.getFirst().getPort(),
                    export.name());
        }
        var mounting = new MountText(rdma.getFirst(), host, flavor);
        printMounts(out, mounting, export.name());
        if (versions.has2() && withoutVersion2.contains(export.name())) {
            out.println("  not over NFS version 2, whose file handles are too short for its files");
        } else if (versions.has2() && !tcp.isEmpty()) {
            out.printf("  %s%n", mounting.version2(export.name(), tcp.getFirst().getPort(), locks));
        }
    }

    /** Tells the commands that mount an export by versions 4 and 3. */
    private void printMounts(PrintWriter out, MountText mounting, String export) {
        if (versions.has4()) {
            out.printf("  %s%n", mounting.version4(export));
            firstTcp()
                    .ifPresent(
                            at ->
                                    out.printf(
                                            "  %s%n",
                                            mounting.version4OverTcp(export, at.getPort())));
        }
        if (versions.has3()) {
            out.printf(
                    "  %s%n",
                    firstTcp()
                            .map(at -> mounting.version3(export, at.getPort(), locks))
                            .orElse(
                                    "version 3 at a Linux client needs MOUNT over TCP: add --tcp"
                                            + " :2049"));
        }
    }

    private Optional<InetSocketAddress> firstTcp() {
        return tcp.stream().findFirst();
    }
}
