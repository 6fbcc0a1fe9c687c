package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.access.Comparison;
import io.github.rpcrdma4j.interop.access.Fill;
import io.github.rpcrdma4j.interop.access.GoldenTable;
import io.github.rpcrdma4j.interop.access.Outcome;
import io.github.rpcrdma4j.interop.access.Table;
import io.github.rpcrdma4j.interop.linux.AccessHere.ServerIdentity;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The command that tries the table of access rights on a server.
 *
 * <p>Tests: {@code interop/access}.
 */
@Command(
        name = "interop/access",
        mixinStandardHelpOptions = true,
        description = {
            "Try a table of calls of NFS versions 3, 4.0 and 4.2, each by a caller on files made for"
                    + " it, and compare the outcomes with those of the Linux kernel's server.",
            ""
        },
        footer = {
            "",
            "Outcomes stay in interop/target/access. Ends with 1 if a case differs.",
            "",
            "Our server against what is known of the kernel's: interop/access here",
            "Both servers on one file system:                  interop/access both"
        })
final class Access extends GuestCommand {
    /** The server to test; it also decides what its outcomes are compared with. */
    enum Target {
        HERE,
        KNFSD,
        BOTH
    }

    @Parameters(
            paramLabel = "here|knfsd|both",
            arity = "0..1",
            description = {
                "here: our server on this machine, which takes root; compared with the golden table.",
                "knfsd: the kernel's server in a guest; compared with the golden table.",
                "both: the kernel's server and ours in one guest, compared with each other."
            })
    private Target target;

    @Option(names = "--only", paramLabel = "TEXT", description = "Cases whose ids contain this.")
    private String only = "";

    @Option(
            names = "--as",
            paramLabel = "root|contained|user",
            description = {
                "With here: who the server is.",
                "root: root (the default).",
                "contained: root without CAP_DAC_READ_SEARCH, as in containers.",
                "user: uid 1000 with the capabilities that it takes to act for others."
            })
    private ServerIdentity identity = ServerIdentity.ROOT;

    @Option(names = "--list", description = "Print the cases.")
    private boolean list;

    @Option(
            names = "--write",
            description = "With knfsd: replace the golden table with the outcomes.")
    private boolean write;

    public static void main(String... arguments) {
        new Access().run(arguments);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        var out = spec.commandLine().getOut();
        var table = new Table().only(only);
        if (list) {
            table.lines().forEach(out::println);
            return CommandLine.ExitCode.OK;
        }
        if (target == null || write && (target != Target.KNFSD || !only.isEmpty())) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(),
                    target == null
                            ? "name a server: here, knfsd or both"
                            : "--write is for the whole table of knfsd");
        }
        var directory = Files.createDirectories(home.resolve("interop/target/access"));
        long start = System.nanoTime();
        var comparison =
                switch (target) {
                    case HERE -> here(table, directory.resolve("here-" + name(identity)));
                    case KNFSD -> knfsd(table, directory.resolve("knfsd"));
                    case BOTH -> both(table, directory.resolve("both"));
                };
        comparison.lines("knfsd", target == Target.KNFSD ? "now" : "ours").forEach(out::println);
        out.printf("%.0f s%n", (System.nanoTime() - start) / 1e9);
        out.flush();
        return comparison.differences().isEmpty()
                ? CommandLine.ExitCode.OK
                : CommandLine.ExitCode.SOFTWARE;
    }

    /**
     * Returns the required outcomes of our server: those of the kernel's server, except for the
     * accepted differences.
     */
    private List<Outcome> accepted(List<Outcome> knfsd) {
        var tried = knfsd.stream().map(Outcome::id).collect(Collectors.toSet());
        var accepted = GoldenTable.ofAccepted().outcomes();
        return GoldenTable.replaced(
                knfsd, accepted.stream().filter(each -> tried.contains(each.id())).toList());
    }

    private List<Outcome> golden() {
        var golden = GoldenTable.ofLinux();
        golden.notes().forEach(note -> spec.commandLine().getOut().println("knfsd: " + note));
        return golden.outcomes().stream()
                .filter(each -> each.id().contains(only) || each.id().startsWith(Fill.GROUP))
                .toList();
    }

    private static String name(ServerIdentity identity) {
        return identity.name().toLowerCase(Locale.ROOT);
    }

    private Comparison here(Table table, Path directory) throws IOException, InterruptedException {
        var found =
                new AccessHere(directories(), Files.createDirectories(directory), identity)
                        .run(table);
        new GoldenTable(List.of(), found).write(directory.resolve("ours.table"));
        // Without a guest there is no small file system to fill.
        var expected = golden().stream().filter(each -> !each.id().startsWith(Fill.GROUP)).toList();
        return Comparison.of(accepted(expected), found);
    }

    private Comparison knfsd(Table table, Path directory) throws IOException, InterruptedException {
        try (var guest = boot(directory)) {
            progress("trying the kernel's server");
            var found = new GoldenTable(guest.notes(), guest.runKnfsd(table));
            found.write(directory.resolve("knfsd.table"));
            if (write) {
                found.write(GoldenTable.source(home));
                return Comparison.of(found.outcomes(), found.outcomes());
            }
            return Comparison.of(golden(), found.outcomes());
        }
    }

    private Comparison both(Table table, Path directory) throws IOException, InterruptedException {
        try (var guest = boot(directory)) {
            var notes = guest.notes();
            progress("trying the kernel's server");
            var knfsd = new GoldenTable(notes, guest.runKnfsd(table));
            knfsd.write(directory.resolve("knfsd.table"));
            progress("trying our server");
            var ours = new GoldenTable(notes, guest.runOurs(directories(), table));
            ours.write(directory.resolve("ours.table"));
            return Comparison.of(accepted(knfsd.outcomes()), ours.outcomes());
        }
    }

    private AccessGuest boot(Path directory) throws IOException, InterruptedException {
        progress("booting the guest");
        return AccessGuest.boot(directories(), directory, Path.of(System.getProperty("java.home")));
    }

    private void progress(String what) {
        PrintWriter err = spec.commandLine().getErr();
        err.printf("%s: %s%n", LocalTime.now().truncatedTo(ChronoUnit.SECONDS), what);
        err.flush();
    }
}
