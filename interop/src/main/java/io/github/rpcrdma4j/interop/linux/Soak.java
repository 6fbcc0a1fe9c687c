package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.matrix.Cell;
import io.github.rpcrdma4j.interop.matrix.Cell.Direction;
import io.github.rpcrdma4j.interop.matrix.Outcome;
import io.github.rpcrdma4j.interop.matrix.Report;
import io.github.rpcrdma4j.interop.matrix.RunDirectories;
import io.github.rpcrdma4j.interop.matrix.Variant;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that lets Linux work on our server for a while. */
@Command(
        name = "interop/soak",
        mixinStandardHelpOptions = true,
        description = {
            "Let a Linux guest work on two mounts of our server, which is killed three times.",
            "",
            "The guest compiles a kernel module, clones, packs and checks this repository, and moves"
                    + " money between accounts under locks, with the compiler and Git of this"
                    + " machine."
        },
        footer = {
            "",
            "Prints a line for each check, and ends with 1 if one fails. Logs stay in"
                    + " interop/target/soak.",
            "",
            "Example: interop/soak --minutes 15 4.2 4.1"
        })
final class Soak extends GuestCommand {
    @Option(
            names = "--minutes",
            paramLabel = "N",
            description = "How long the work goes on with each version (15).")
    private int minutes = 15;

    @CommandLine.Parameters(
            paramLabel = "4.2|4.1",
            arity = "0..2",
            description = "The versions to mount with, one after another (both).")
    private List<String> versions = List.of("4.2", "4.1");

    public static void main(String... arguments) {
        new Soak().run(arguments);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        var directories = new RunDirectories(home, image, home.resolve("interop/target/soak"));
        var outcomes = new ArrayList<Outcome>();
        for (var version : versions) {
            outcomes.addAll(work(directories, version));
        }
        var report = new Report(outcomes);
        report.print(spec.commandLine().getOut());
        return report.passed() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    private List<Outcome> work(RunDirectories directories, String version)
            throws IOException, InterruptedException {
        var cell = new Cell(direction(version), Variant.AS_SHIPPED, true);
        var run = new CellRun(directories, cell, spec.commandLine().getOut());
        try {
            new LinuxWork(run, version, Duration.ofMinutes(minutes)).work();
            // Gigabytes that no check reads.
            Files.deleteIfExists(run.logs().resolve("capture.pcap"));
        } catch (GuestException lost) {
            run.lost(lost);
        } finally {
            run.endGuest();
        }
        return run.outcomes();
    }

    private Direction direction(String version) {
        return switch (version) {
            case "4.2" -> Direction.LINUX_CLIENT_4_2;
            case "4.1" -> Direction.LINUX_CLIENT_4_1;
            default ->
                    throw new CommandLine.ParameterException(
                            spec.commandLine(), "the version is 4.2 or 4.1, not " + version);
        };
    }
}
