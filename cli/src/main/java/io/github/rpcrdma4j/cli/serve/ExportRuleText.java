package io.github.rpcrdma4j.cli.serve;

import io.github.rpcrdma4j.nfs.server.export.Clients;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.server.export.ExportRule.Ports;
import io.github.rpcrdma4j.nfs.server.export.NamedHost;
import io.github.rpcrdma4j.oncrpc.Credential;
import java.nio.file.FileSystems;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Describes the rights of clients to an export, in lines for the user who serves it. */
final class ExportRuleText {
    private static final int ROOT = 0;

    /** All of 127.0.0.0/8 is this machine. */
    private static final int LOOPBACK_PREFIX = 8;

    private ExportRuleText() {}

    /**
     * Returns a line for each kind of hosts, and what they say about other hosts.
     *
     * @param actsForCallers whether the server acts with the rights of each caller
     * @param server the user that the server runs as
     */
    static List<String> of(Export export, boolean actsForCallers, Credential server) {
        if (export.rules().isEmpty()) {
            return List.of("no host is let in: see --allow");
        }
        var lines = new ArrayList<String>();
        for (var rule : export.rules()) {
            lines.add(of(export, rule, actsForCallers, server));
        }
        if (export.rules().stream().anyMatch(ExportRuleText::letsAllChange)) {
            lines.add("every host may change files: see --allow");
        }
        if (export.rules().stream().allMatch(each -> isThisMachine(each.clients()))) {
            lines.add("no other host is let in: see --allow");
        }
        return lines.stream().distinct().toList();
    }

    private static String of(
            Export export, ExportRule rule, boolean actsForCallers, Credential server) {
        if (rule.isMoved()) {
            return hosts(rule.clients()) + ": no access here, version 4 is sent to " + moved(rule);
        }
        var words = new ArrayList<String>();
        words.add(rule.readOnly() ? "read only" : "read and write");
        words.add(actsForCallers ? users(rule) : all(server));
        if (rule.ports() == Ports.PRIVILEGED) {
            words.add("from ports below 1024");
        }
        if (rule.ports() == Ports.ANY && actsForCallers) {
            words.add("local users may call as others (insecure)");
        }
        words.add(storage(export, rule));
        if (rule.crossMounts()) {
            words.add("with what is mounted below");
        }
        return hosts(rule.clients()) + ": " + String.join(", ", words);
    }

    private static String moved(ExportRule rule) {
        return rule.moved().stream()
                .map(each -> String.join("+", each.servers()) + " " + each.path().escaped())
                .collect(Collectors.joining(", "));
    }

    private static String storage(Export export, ExportRule rule) {
        boolean isOnDisk =
                export.directory()
                        .filter(each -> each.getFileSystem() == FileSystems.getDefault())
                        .isPresent();
        if (!isOnDisk) {
            return "all is in memory, and gone when the server stops";
        }
        return rule.sync()
                ? "changes are on storage before they are answered"
                : "changes are answered before they are on storage (async)";
    }

    private static String hosts(Clients clients) {
        return switch (clients) {
            case Clients.Everybody _ -> "any host";
            case Clients.Network _, NamedHost _ ->
                    isThisMachine(clients) ? "this machine" : clients.toString();
        };
    }

    private static boolean isThisMachine(Clients clients) {
        return clients instanceof Clients.Network(var address, var prefixLength)
                && address.isLoopbackAddress()
                && prefixLength >= LOOPBACK_PREFIX;
    }

    private static boolean letsAllChange(ExportRule rule) {
        return isAll(rule.clients()) && !rule.readOnly() && !rule.isMoved();
    }

    private static boolean isAll(Clients clients) {
        return switch (clients) {
            case Clients.Everybody _ -> true;
            case Clients.Network(_, var prefixLength) -> prefixLength == 0;
            case NamedHost _ -> false;
        };
    }

    /** Describes a server that cannot act for its callers: all of them act as its own user. */
    private static String all(Credential server) {
        return server instanceof Credential.Sys own
                ? "all callers act as user " + Integer.toUnsignedString(own.uid())
                : "all callers act as the user of this server";
    }

    private static String users(ExportRule rule) {
        var anonymous =
                "user "
                        + Integer.toUnsignedString(rule.anonymousUid())
                        + " and group "
                        + Integer.toUnsignedString(rule.anonymousGid());
        boolean isRoot = rule.anonymousUid() == ROOT;
        return switch (rule.squash()) {
            case NONE -> "root of a client is root here (no_root_squash)";
            case ROOT ->
                    isRoot
                            ? "root of a client is root here (anonuid=0)"
                            : "root of a client acts as " + anonymous + " (root_squash)";
            case ALL ->
                    isRoot
                            ? "all callers are root here (all_squash, anonuid=0)"
                            : "all callers act as " + anonymous + " (all_squash)";
        };
    }
}
