package io.github.rpcrdma4j.interop.linux;

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

/** The command that runs the test matrix. */
@Command(
        name = "interop/run",
        mixinStandardHelpOptions = true,
        description = "Run against the Linux kernel, as client and as server, under emulation.",
        footer = {
            "",
            "The whole matrix writes docs/interop.md. Logs and captures stay in interop/target/runs.",
            "",
            "Example: interop/run linux-client-gso-crc"
        })
final class Interop extends GuestCommand {
    @Option(names = "--quick", description = "The short checks, as siw is shipped.")
    private boolean quick;

    @Option(names = "--list", description = "Print the names of all cells.")
    private boolean list;

    @Option(
            names = "--jobs",
            paramLabel = "N",
            description = "How many cells run side by side (one for each processor).")
    private Integer jobs;

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
        var directories = directories();
        if (here) {
            var outcomes = new CellRunner(directories, out).run(cells.getFirst(), quick);
            Files.write(directories.outcomes(cells.getFirst()), Outcome.encode(outcomes));
            return CommandLine.ExitCode.OK;
        }
        var possible = possible(cells, out);
        var outcomes =
                sideBySide
                        ? new CellProcesses(directories, quick, out).run(possible, jobs())
                        : inTurn(directories, possible, out);
        var report = new Report(outcomes);
        report.print(out);
        boolean passed = report.passed();
        if (passed && !quick && wanted == null && possible.equals(cells)) {
            report.write(
                    home.resolve("docs/interop.md"),
                    Files.readString(image.resolve("kernel")).strip());
        }
        return passed ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    /** Returns the cells that can run here, and prints the others. */
    private List<Cell> possible(List<Cell> cells, PrintWriter out) throws IOException {
        boolean isRoot = (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0;
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
            outcomes.addAll(new CellRunner(directories, out).run(cell, quick));
        }
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
