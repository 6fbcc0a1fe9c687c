package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.server.Clients;
import io.github.rpcrdma4j.nfs.server.Export;
import io.github.rpcrdma4j.nfs.server.ExportRule;
import io.github.rpcrdma4j.nfs.server.NamedHost;
import io.github.rpcrdma4j.oncrpc.Credential;
import java.util.ArrayList;
import java.util.stream.Collectors;

/** Who may do what with an export, in one line for the user who serves it. */
final class RuleWords {
    private RuleWords() {}

    /**
     * The line.
     *
     * @param server the user that the server runs as
     */
    static String of(Export export, Credential server) {
        if (export.rules().isEmpty()) {
            return "no host is let in";
        }
        var rules =
                export.rules().stream()
                        .map(rule -> of(rule, server))
                        .collect(Collectors.joining("; "));
        boolean forTheWorld =
                export.rules().stream().anyMatch(rule -> isAll(rule.clients()) && !rule.readOnly());
        return forTheWorld ? rules + ". Every host may change files: see --allow." : rules;
    }

    private static String of(ExportRule rule, Credential server) {
        var words = new ArrayList<String>();
        words.add(rule.readOnly() ? "read only" : "read and write");
        words.add(users(rule, server));
        if (rule.secure()) {
            words.add("from ports below 1024");
        }
        if (!rule.sync()) {
            words.add("replies do not wait for storage");
        }
        if (rule.crossMounts()) {
            words.add("with what is mounted below");
        }
        return who(rule.clients()) + ": " + String.join(", ", words);
    }

    private static String who(Clients clients) {
        return switch (clients) {
            case Clients.Everybody _ -> "any host";
            case Clients.Network _, NamedHost _ -> clients.toString();
        };
    }

    private static boolean isAll(Clients clients) {
        return switch (clients) {
            case Clients.Everybody _ -> true;
            case Clients.Network(_, var prefixLength) -> prefixLength == 0;
            case NamedHost _ -> false;
        };
    }

    /** A server that is not root has no rights but its own to act with. */
    private static String users(ExportRule rule, Credential server) {
        if (!(server instanceof Credential.Sys own)) {
            return "all callers act as the user of this server";
        }
        if (own.uid() != 0) {
            return "all callers act as user " + Integer.toUnsignedString(own.uid());
        }
        var anonymous =
                "user "
                        + Integer.toUnsignedString(rule.anonymousUid())
                        + " and group "
                        + Integer.toUnsignedString(rule.anonymousGid());
        return switch (rule.squash()) {
            case NONE -> "root of a client is root here (no_root_squash)";
            case ROOT -> "root of a client acts as " + anonymous + " (root_squash)";
            case ALL -> "all callers act as " + anonymous + " (all_squash)";
        };
    }
}
