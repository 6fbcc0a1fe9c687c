package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.cli.terminal.Suggestions;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Shows the help of a command. */
@Command(
        name = "help",
        description = "Show what a command does, and its options.",
        footer = {"", "Example: rpcrdma help ls"})
final class Help implements Callable<Integer> {
    @Parameters(arity = "0..1", paramLabel = "COMMAND", description = "Its name.")
    private String name;

    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() {
        var root = spec.root().commandLine();
        var command = name == null ? root : root.getSubcommands().get(name);
        if (command == null) {
            throw new CommandLine.ParameterException(
                    root, "there is no command " + name + Suggestions.command(name, spec.root()));
        }
        command.usage(spec.commandLine().getOut());
        return CommandLine.ExitCode.OK;
    }
}
