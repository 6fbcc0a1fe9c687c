package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.matrix.Cell;
import io.github.rpcrdma4j.interop.matrix.Outcome;
import io.github.rpcrdma4j.interop.matrix.Report;
import io.github.rpcrdma4j.interop.matrix.RunDirectories;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The command that runs the test matrix.
 *
 * <p>Tests: {@code interop/run}.
 */
@Command(
        name = "interop/run",
        mixinStandardHelpOptions = true,
        description = "Run against the Linux kernel, as client and as server, under emulation.",
        footer = {
            "",
            "The whole matrix writes docs/interop.md. It may be run in parts: --report then writes the",
            "page from the last whole run of each cell. Logs, captures and outcomes stay in",
            "interop/target/runs.",
            "",
            "Example: interop/run linux-client-gso-crc",
            "Example: interop/run --until-failure 50 linux-client-small-segments-crc"
        })
final class Interop extends GuestCommand {
    @Option(names = "--quick", description = "The short checks, as siw is shipped.")
    private boolean quick;

    @Option(names = "--list", description = "Print the names of all cells.")
    private boolean list;

    @Option(
            names = "--report",
            description =
                    "Run nothing; write docs/interop.md if each cell passed when it last ran.")
    private boolean report;

    @Option(
            names = "--jobs",
            paramLabel = "N",
            description = "How many cells run side by side (one for each processor).")
    private Integer jobs;

    @Option(
            names = "--until-failure",
            paramLabel = "N",
            description =
                    "Run the cells up to N times, until one fails: its logs and captures stay.")
    private int runs = 1;

    @Option(
            names = "--command",
            paramLabel = "FILE",
            description =
                    "The rpcrdma that serves and copies, such as that of a package (./rpcrdma).")
    private Path launcher;

    @Option(
            names = "--side-by-side",
            hidden = true,
            description = "Cells have networks of their own.")
    private boolean sideBySide;

    @Option(names = "--here", hidden = true, description = "Run one cell in this process.")
    private boolean here;

    @Parameters(paramLabel = "CELL", description = "Only cells whose names contain this.")
    private List<String> wanted;

    public static void main(String... arguments) {
        new Interop().run(arguments);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        var out = spec.commandLine().getOut();
        var cells = Cell.all().stream().filter(this::isWanted).toList();
        if (cells.isEmpty()) {
            throw new IllegalArgumentException("no cell has such a name: see --list");
        }
        if (list) {
            cells.forEach(cell -> out.println(cell.name()));
            return CommandLine.ExitCode.OK;
        }
        var directories =
                launcher == null ? directories() : directories().with(launcher.toAbsolutePath());
        if (report) {
            return write(LastRuns.read(directories), out);
        }
        if (here) {
            runHere(directories, cells.getFirst(), out);
            return CommandLine.ExitCode.OK;
        }
        var possible = possible(cells, out);
        var made = run(directories, possible, out);
        for (int run = 2; run <= runs && made.passed(); run++) {
            out.printf("run %d of %d%n", run, runs);
            made = run(directories, possible, out);
        }
        if (made.passed()
                && !quick
                && wanted == null
                && launcher == null
                && possible.equals(cells)) {
            return write(LastRuns.read(directories), out);
        }
        return made.passed() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    private Report run(RunDirectories directories, List<Cell> cells, PrintWriter out)
            throws IOException, InterruptedException {
        var outcomes =
                sideBySide
                        ? new CellProcesses(directories, quick, out).run(cells, jobs())
                        : inTurn(directories, cells, out);
        var made = new Report(outcomes);
        made.print(out);
        return made;
    }

    private int write(LastRuns last, PrintWriter out) throws IOException {
        last.requireAll();
        var page = home.resolve("docs/interop.md");
        new Report(last.outcomes())
                .write(page, Files.readString(image.resolve("kernel")).strip(), last.when());
        out.println("wrote docs/interop.md");
        return CommandLine.ExitCode.OK;
    }

    /** Returns the cells that can run here, and prints the others. */
    private List<Cell> possible(List<Cell> cells, PrintWriter out) throws IOException {
        boolean isRoot = HostUser.isRoot();
        var possible = new ArrayList<Cell>();
        for (var cell : cells) {
            if (cell.direction().needsRoot() && !isRoot) {
                out.printf("%s: skipped, it needs root%n", cell.name());
            } else if (cell.direction().needsNetwork() && !sideBySide) {
                out.printf("%s: skipped, it needs a network of its own%n", cell.name());
            } else {
                possible.add(cell);
            }
        }
        return possible;
    }

    private List<Outcome> inTurn(RunDirectories directories, List<Cell> cells, PrintWriter out)
            throws IOException, InterruptedException {
        var outcomes = new ArrayList<Outcome>();
        for (var cell : cells) {
            outcomes.addAll(runHere(directories, cell, out));
        }
        return outcomes;
    }

    private List<Outcome> runHere(RunDirectories directories, Cell cell, PrintWriter out)
            throws IOException, InterruptedException {
        var outcomes = new CellRunner(directories, out).run(cell, quick);
        Files.write(directories.outcomes(cell, quick), Outcome.encode(outcomes));
        return outcomes;
    }

    private int jobs() {
        return jobs == null ? Runtime.getRuntime().availableProcessors() : Math.max(1, jobs);
    }

    private boolean isWanted(Cell cell) {
        return (!quick || cell.isQuick())
                && (wanted == null || wanted.stream().anyMatch(cell.name()::contains));
    }
}
