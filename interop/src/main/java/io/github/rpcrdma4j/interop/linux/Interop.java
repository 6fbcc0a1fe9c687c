package io.github.rpcrdma4j.interop.linux;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs the matrix. */
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
final class Interop implements Callable<Integer> {
    @Option(names = "--quick", description = "The short checks, as siw is shipped.")
    private boolean quick;

    @Option(names = "--list", description = "Print the names of all cells.")
    private boolean list;

    @Option(names = "--home", hidden = true, required = true, description = "The project's root.")
    private Path home;

    @Option(names = "--image", hidden = true, required = true, description = "The guest's folder.")
    private Path image;

    @Parameters(paramLabel = "CELL", description = "Only cells whose names contain this.")
    private List<String> wanted;

    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    public static void main(String... arguments) {
        System.exit(
                new CommandLine(new Interop())
                        .setExecutionExceptionHandler(Interop::failed)
                        .execute(arguments));
    }

    private static int failed(
            Exception failure, CommandLine command, CommandLine.ParseResult parsed) {
        command.getErr().println("interop/run: " + failure.getMessage());
        return CommandLine.ExitCode.SOFTWARE;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        var out = spec.commandLine().getOut();
        var cells = Cell.all().stream().filter(this::isWanted).toList();
        if (list) {
            cells.forEach(cell -> out.println(cell.name()));
            return CommandLine.ExitCode.OK;
        }
        var place = new Place(home, image, home.resolve("interop/target/runs"));
        var outcomes = new ArrayList<Outcome>();
        for (var cell : cells) {
            outcomes.addAll(run(place, cell, out));
        }
        if (outcomes.isEmpty()) {
            throw new IllegalArgumentException("no cell has such a name: see --list");
        }
        var report = new Report(outcomes);
        report.print(out);
        boolean passed = report.passed();
        if (passed && !quick && wanted == null) {
            report.write(
                    home.resolve("docs/interop.md"),
                    Files.readString(image.resolve("kernel")).strip());
        }
        return passed ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    private boolean isWanted(Cell cell) {
        return (!quick || cell.isQuick())
                && (wanted == null || wanted.stream().anyMatch(cell.name()::contains));
    }

    private List<Outcome> run(Place place, Cell cell, PrintWriter out)
            throws IOException, InterruptedException {
        var run = new CellRun(place, cell, out);
        if (cell.variant().needsLink() && !Network.hasLink()) {
            run.look(
                    Check.GUEST,
                    findings ->
                            findings.fail(
                                    "no link to the guest: it needs a network namespace and the"
                                            + " right to open /dev/net/tun"));
            return run.outcomes();
        }
        try {
            switch (cell.direction()) {
                case LINUX_CLIENT -> new LinuxClient(run).run(quick);
                case LINUX_KERBEROS -> new LinuxKerberos(run).run();
                case OUR_CLIENT -> new LinuxServer(run).run(quick);
                case CHUNK_SHAPES -> new LinuxServer(run).runShapes();
            }
        } catch (GuestException lost) {
            run.lost(lost);
        } finally {
            run.endGuest();
        }
        run.look(Check.CAPTURE, new CaptureCheck(run)::read);
        return run.outcomes();
    }
}
