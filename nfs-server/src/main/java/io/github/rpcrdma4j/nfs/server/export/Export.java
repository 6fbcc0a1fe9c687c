package io.github.rpcrdma4j.nfs.server.export;

import io.github.rpcrdma4j.nfs.store.StoreOpener;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Files that clients may mount: those below a directory, or of a store.
 *
 * <p>One export may lie inside another, by its name or by its directory. To a file applies the
 * export whose directory is the innermost around it: clients of the outer export come into the
 * inner one on the way to the file, and the rules of both have to let them. They cannot remove,
 * move or replace the directories that lead there. When an export inside another comes, goes or
 * moves, or an export gets another directory, the handles of the outer one, or of that export, are
 * stale from then on, and its clients have to mount again.
 *
 * @param name the path that clients mount; it starts with a slash
 * @param files where they are
 * @param rules of the rules that include a host, the one for the narrowest network applies, and of
 *     equally narrow ones the first; a host without a rule has no access
 * @param flavors the accepted flavors, the one that clients should prefer first
 * @param delegations whether clients may keep files to themselves
 */
public record Export(
        String name,
        ExportedFiles files,
        List<ExportRule> rules,
        List<SecurityFlavor> flavors,
        Delegations delegations) {
    private static final List<SecurityFlavor> UNPROVED =
            List.of(SecurityFlavor.SYS, SecurityFlavor.NONE);

    public Export {
        if (!name.startsWith("/") || name.length() < 2) {
            throw new IllegalArgumentException(
                    "the name of an export must be a slash and at least one more character: "
                            + name);
        }
        if (flavors.isEmpty()) {
            throw new IllegalArgumentException("an export needs at least one flavor: " + name);
        }
        flavors = List.copyOf(flavors);
        rules = List.copyOf(rules);
    }

    /** Exports a directory. */
    public Export(
            String name,
            Path root,
            List<ExportRule> rules,
            List<SecurityFlavor> flavors,
            Delegations delegations) {
        this(name, new ExportedFiles.OfDirectory(root), rules, flavors, delegations);
    }

    /**
     * Exports a store of the program to all hosts, without delegations, for callers without
     * authentication. Each caller acts as the user that it claims to be, root included.
     */
    public Export(String name, StoreOpener opener, boolean readOnly) {
        this(
                name,
                new ExportedFiles.OfStore(opener),
                List.of(ExportRule.trusting(readOnly)),
                UNPROVED,
                Delegations.NONE);
    }

    /** Exports a directory without delegations. */
    public Export(String name, Path root, List<ExportRule> rules, List<SecurityFlavor> flavors) {
        this(name, root, rules, flavors, Delegations.NONE);
    }

    /** Returns this export with other rules. */
    public Export with(List<ExportRule> others) {
        return new Export(name, files, others, flavors, delegations);
    }

    /** Returns this export with other delegations. */
    public Export with(Delegations others) {
        return new Export(name, files, rules, flavors, others);
    }

    /**
     * Exports a directory to all hosts. Each caller acts as the user of its credential, root
     * included.
     */
    public Export(String name, Path root, boolean readOnly, List<SecurityFlavor> flavors) {
        this(name, root, List.of(ExportRule.trusting(readOnly)), flavors);
    }

    /**
     * Exports a directory to all hosts for callers without authentication. Each caller acts as the
     * user that it claims to be, root included.
     */
    public Export(String name, Path root, boolean readOnly) {
        this(name, root, readOnly, UNPROVED);
    }

    /** Returns the directory whose files these are; empty for those of a store. */
    public Optional<Path> directory() {
        return switch (files) {
            case ExportedFiles.OfDirectory(var root) -> Optional.of(root);
            case ExportedFiles.OfStore _ -> Optional.empty();
        };
    }

    /** Returns the rule of a host; empty if the host may not use the export. */
    public Optional<ExportRule> rule(InetAddress host) {
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

    /** Returns the hosts as MOUNT lists them; empty for all hosts (RFC 1813, Section 5.2.5). */
    public List<String> groups() {
        boolean forAll =
                rules.stream().anyMatch(rule -> rule.clients() instanceof Clients.Everybody);
        return forAll ? List.of() : rules.stream().map(rule -> rule.clients().toString()).toList();
    }
}
