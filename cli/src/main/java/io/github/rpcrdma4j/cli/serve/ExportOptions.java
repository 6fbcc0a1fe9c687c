package io.github.rpcrdma4j.cli.serve;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.github.rpcrdma4j.cli.terminal.RawArguments;
import io.github.rpcrdma4j.nfs.client.copy.LocalPlace;
import io.github.rpcrdma4j.nfs.client.local.LocalNames;
import io.github.rpcrdma4j.nfs.server.export.Clients;
import io.github.rpcrdma4j.nfs.server.export.Delegations;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.io.IOException;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The exported directories, and the hosts that may mount them.
 *
 * <pre>
 *   DIRECTORY[=/NAME]
 *   --allow [/NAME=]RULE       see {@link ExportRuleParser}
 * </pre>
 */
public final class ExportOptions {
    private static final String MEMORY = "mem:";

    /** The networks of this machine, which may use exports that have no rule. */
    private static final List<String> THIS_MACHINE = List.of("127.0.0.0/8", "::1");

    @Parameters(arity = "0..*", paramLabel = "DIRECTORY", description = "What to export.")
    private List<String> directories = List.of();

    @Option(names = "--read-only", description = "Refuse all changes.")
    private boolean readOnly;

    @Option(
            names = "--delegations",
            paramLabel = "none|leases|exclusive",
            description =
                    "Let clients of version 4 keep files to themselves until others need them: none"
                            + " (the default); under leases of the kernel, so that local processes"
                            + " wait for a file; or exclusive, if no local process uses the"
                            + " directories meanwhile.")
    private Delegations delegations = Delegations.NONE;

    @Option(
            names = "--allow",
            paramLabel = "RULE",
            description = {
                "Let the hosts of a network in, and no others: [/NAME=]NETWORK[,OPTION...], as often"
                        + " as needed. NETWORK is like 192.0.2.0/24, an address, the name of a host"
                        + " (looked up now, and again every five minutes), or any; the narrowest"
                        + " counts. OPTIONs are those of exports(5): rw, ro, root_squash,"
                        + " no_root_squash, all_squash, anonuid=N, anongid=N, sync, async, crossmnt,"
                        + " nocrossmnt, secure (only calls from ports below 1024; the commands here, and"
                        + " Linux over RDMA, call from higher ones), insecure (processes of this"
                        + " machine are believed, too, which by default act as their own users alone),"
                        + " and refer=/PATH@HOST[+HOST...][:/PATH@HOST...]: clients of version 4 go to"
                        + " the export /PATH of HOST instead, and others get no access. The defaults"
                        + " are rw,root_squash,sync,nocrossmnt. Without a rule, only this machine"
                        + " reaches the server."
            })
    private List<String> allowed = List.of();

    /** Returns whether the user has named what to export. */
    boolean areGiven() {
        return !directories.isEmpty();
    }

    /** Returns whether the user has said which hosts may use the exports. */
    boolean haveRules() {
        return !allowed.isEmpty();
    }

    /** Returns whether all exports are in memory, so that nothing outlives the process. */
    boolean areInMemory() {
        return directories.stream().allMatch(directory -> directory.startsWith(MEMORY));
    }

    /**
     * Returns the exports that the user asked for.
     *
     * @throws IOException if a directory does not exist, or a host name has no address
     * @throws IllegalArgumentException if an argument is malformed; the message tells what
     */
    List<Export> exports(List<SecurityFlavor> flavors) throws IOException {
        var hosts = new RuleHosts();
        var exports = new ArrayList<Export>();
        for (var directory : directories) {
            int equals = directory.lastIndexOf("=/");
            var source = equals < 0 ? directory : directory.substring(0, equals);
            var root = source.equals(MEMORY) ? memory() : directory(source);
            var last = root.getFileName();
            var name =
                    equals < 0
                            ? "/" + (last == null ? "root" : LocalNames.of(last))
                            : directory.substring(equals + 1);
            if (!ConfigReader.isName(name)) {
                throw new IllegalArgumentException(
                        "the name of an export is like /NAME, without a slash at the end: " + name);
            }
            var export = new Export(name, root, rules(name, hosts), flavors);
            exports.add(export.with(delegations(source)));
        }
        for (var rule : allowed) {
            if (rule.startsWith("/")
                    && exports.stream().noneMatch(each -> rule.startsWith(each.name() + "="))) {
                throw new IllegalArgumentException(
                        "--allow %s: there is no such export, but %s"
                                .formatted(
                                        rule,
                                        exports.stream()
                                                .map(Export::name)
                                                .collect(Collectors.joining(", "))));
            }
        }
        return exports;
    }

    /**
     * Returns the directory that a user names.
     *
     * @throws IOException if there is none, or this user may not list it; the message names it
     */
    public static Path directory(String source) throws IOException {
        var path = RawArguments.path(source);
        // The exception tells why it cannot be found.
        Files.readAttributes(path, BasicFileAttributes.class);
        // The kernel follows links, with its rules for those of other users.
        Path root;
        try (var place = LocalPlace.openDirectory(path, "cannot export " + source)) {
            if (!place.isOpenDirectory()) {
                throw new NotDirectoryException(source + " is not a directory");
            }
            root = place.directory().toAbsolutePath();
        }
        if (!Files.isReadable(root) || !Files.isExecutable(root)) {
            throw new IOException(
                    source + ": permission denied: this user may not list or search it");
        }
        return root;
    }

    /** No local process sees what is in memory. */
    private Delegations delegations(String source) {
        return source.equals(MEMORY) && delegations == Delegations.LEASES
                ? Delegations.EXCLUSIVE
                : delegations;
    }

    /** Makes an empty directory in memory. All callers may write to it, since it has no owner. */
    private static Path memory() throws IOException {
        var root =
                Jimfs.newFileSystem(
                                Configuration.unix().toBuilder()
                                        .setAttributeViews("basic", "owner", "posix", "unix")
                                        .setWorkingDirectory("/")
                                        .build())
                        .getPath("/mem");
        var all = PosixFilePermissions.fromString("rwxrwxrwx");
        return Files.createDirectory(root, PosixFilePermissions.asFileAttribute(all));
    }

    private List<ExportRule> rules(String name, RuleHosts hosts) throws UnknownHostException {
        var parser = new ExportRuleParser("--allow", readOnly, hosts);
        var rules = new ArrayList<ExportRule>();
        for (var rule : allowed) {
            if (!rule.startsWith("/")) {
                rules.add(parser.rule(rule));
            } else if (rule.startsWith(name + "=")) {
                rules.add(parser.rule(rule.substring(name.length() + 1)));
            }
        }
        if (allowed.isEmpty()) {
            for (var network : THIS_MACHINE) {
                rules.add(parser.rule(network));
            }
        }
        requireOneRuleEach(name, rules);
        return rules;
    }

    /** Refuses two rules for one network: the second would never apply. */
    private static void requireOneRuleEach(String name, List<ExportRule> rules) {
        var clients = new HashSet<Clients>();
        for (var rule : rules) {
            if (!clients.add(rule.clients())) {
                throw new IllegalArgumentException(
                        "--allow has two rules for " + text(rule.clients()) + ", for " + name);
            }
        }
    }

    /** Returns what the user calls the hosts of a rule. */
    static String text(Clients clients) {
        return clients instanceof Clients.Everybody ? Clients.EVERYBODY : clients.toString();
    }
}
