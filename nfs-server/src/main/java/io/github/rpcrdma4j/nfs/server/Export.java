package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A directory that clients may mount.
 *
 * @param name what they mount: a path that starts with a slash
 * @param root the directory, of any file system
 * @param rules for the hosts that may reach it; of those that are about a host the one for the
 *     narrowest network holds, and of those the first
 * @param flavors of the calls that reach it, the one that clients are to prefer first
 */
public record Export(String name, Path root, List<ExportRule> rules, List<SecurityFlavor> flavors) {
    private static final List<SecurityFlavor> UNPROVED =
            List.of(SecurityFlavor.SYS, SecurityFlavor.NONE);

    public Export {
        if (!name.startsWith("/") || name.length() < 2) {
            throw new IllegalArgumentException("an export is named like /this: " + name);
        }
        if (flavors.isEmpty()) {
            throw new IllegalArgumentException("an export takes at least one flavor: " + name);
        }
        flavors = List.copyOf(flavors);
        rules = List.copyOf(rules);
    }

    /** For all hosts, whose callers act as the users they are. */
    public Export(String name, Path root, boolean readOnly, List<SecurityFlavor> flavors) {
        this(name, root, List.of(ExportRule.trusting(readOnly)), flavors);
    }

    /** For all hosts, whose callers prove nothing and act as the users they say they are. */
    public Export(String name, Path root, boolean readOnly) {
        this(name, root, readOnly, UNPROVED);
    }

    /** What holds for a host; empty if it may not reach the export. */
    Optional<ExportRule> rule(InetAddress host) {
        ExportRule found = null;
        for (var rule : rules) {
            if (rule.clients().include(host)
                    && (found == null
                            || rule.clients().precision(host) > found.clients().precision(host))) {
                found = rule;
            }
        }
        return Optional.ofNullable(found);
    }

    /** The hosts, as MOUNT lists them; empty for all (RFC 1813, Section 5.2.5). */
    List<String> groups() {
        boolean forAll =
                rules.stream().anyMatch(rule -> rule.clients() instanceof Clients.Everybody);
        return forAll ? List.of() : rules.stream().map(rule -> rule.clients().toString()).toList();
    }
}
