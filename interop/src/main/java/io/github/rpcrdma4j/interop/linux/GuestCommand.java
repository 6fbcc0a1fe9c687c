package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.matrix.RunDirectories;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** A command that runs guests: its common options, and the report of its failures. */
abstract class GuestCommand implements Callable<Integer> {
    @Option(names = "--home", hidden = true, required = true, description = "The project's root.")
    Path home;

    @Option(
            names = "--image",
            hidden = true,
            required = true,
            description = "The guest's directory.")
    Path image;

    @CommandLine.Spec CommandLine.Model.CommandSpec spec;

    /** Runs the command and ends the process with its status. */
    final void run(String... arguments) {
        System.exit(
                new CommandLine(this)
                        .setCaseInsensitiveEnumValuesAllowed(true)
                        .setExecutionExceptionHandler(GuestCommand::failed)
                        .execute(arguments));
    }

    private static int failed(
            Exception failure, CommandLine command, CommandLine.ParseResult parsed) {
        command.getErr().println(command.getCommandName() + ": " + failure.getMessage());
        return CommandLine.ExitCode.SOFTWARE;
    }

    final RunDirectories directories() {
        return new RunDirectories(home, image, home.resolve("interop/target/runs"));
    }
}
