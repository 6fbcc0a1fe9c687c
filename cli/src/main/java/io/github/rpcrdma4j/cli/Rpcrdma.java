package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.cli.terminal.FailureText;
import io.github.rpcrdma4j.cli.terminal.Printable;
import io.github.rpcrdma4j.cli.terminal.RawArguments;
import io.github.rpcrdma4j.cli.terminal.Section;
import io.github.rpcrdma4j.cli.terminal.StandardOutput;
import io.github.rpcrdma4j.cli.terminal.Suggestions;
import io.github.rpcrdma4j.cli.terminal.Version;
import io.github.rpcrdma4j.cli.terminal.WrongArgument;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code rpcrdma} itself, and the handling of every failure. */
@Command(
        name = "rpcrdma",
        description = "NFS over RPC-over-RDMA, without RDMA hardware.",
        footer = {"", "Start here: rpcrdma demo"})
public final class Rpcrdma implements Runnable {
    @Section(Section.Heading.EVERY_COMMAND)
    @Option(
            names = "--debug",
            scope = CommandLine.ScopeType.INHERIT,
            description = "Show where a failure came from.")
    private boolean debug;

    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    /** Runs a command and ends the process with its exit code. */
    public static void main(String[] args) {
        int code;
        try {
            var arguments = RawArguments.of(args);
            code = commandLine(arguments).setOut(StandardOutput.writer()).execute(arguments);
        } catch (Error broken) {
            System.err.println("rpcrdma: internal error: " + Printable.line(broken.toString()));
            code = CommandLine.ExitCode.SOFTWARE;
        }
        System.exit(code);
    }

    /** Returns the command line for these arguments. Without any, it has all commands. */
    public static CommandLine commandLine(String... arguments) {
        var command =
                Subcommands.add(new CommandLine(new Rpcrdma()), arguments)
                        .setCaseInsensitiveEnumValuesAllowed(true)
                        .setExecutionStrategy(Rpcrdma::execute)
                        .setExecutionExceptionHandler(Rpcrdma::failed)
                        .setParameterExceptionHandler(Rpcrdma::misused);
        HelpPage.prepare(command, Version.WORDS);
        return command;
    }

    /** Runs a parsed command. A failure to print its help is reported like any other failure. */
    private static int execute(CommandLine.ParseResult parsed) {
        var command = parsed.commandSpec().commandLine();
        try {
            int code = new CommandLine.RunLast().execute(parsed);
            command.getOut().flush();
            return code;
        } catch (StandardOutput.Failed failed) {
            throw new CommandLine.ExecutionException(command, failed.getMessage(), failed);
        }
    }

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "Which command?");
    }

    private static int failed(
            Exception failure, CommandLine command, CommandLine.ParseResult parsed) {
        if (StandardOutput.isReaderGone(failure)) {
            return StandardOutput.READER_GONE;
        }
        PrintWriter err = command.getErr();
        if (failure instanceof IllegalArgumentException) {
            err.println("rpcrdma: " + Printable.line(String.valueOf(failure.getMessage())));
            trace(failure, command);
            return CommandLine.ExitCode.USAGE;
        }
        err.println("rpcrdma: " + FailureText.oneLine(failure) + versionHint(failure, command));
        trace(failure, command);
        return CommandLine.ExitCode.SOFTWARE;
    }

    /** Prints where a failure came from, if the user wants to know. */
    private static void trace(Exception failure, CommandLine command) {
        if (((Rpcrdma) command.getCommandSpec().root().userObject()).debug) {
            var trace = new StringWriter();
            failure.printStackTrace(new PrintWriter(trace, true));
            command.getErr().println(Printable.lines(trace.toString()));
        }
    }

    /** Returns what helps if a server does not serve the version that the user has asked for. */
    private static String versionHint(Exception failure, CommandLine command) {
        var option = command.getCommandSpec().findOption("--vers");
        boolean isMismatch =
                failure instanceof RpcException.Refused refused
                        && refused.status() == AcceptStatus.PROG_MISMATCH;
        return isMismatch && option != null && option.getValue() == NfsVersion.VERSION_2
                ? " (serve --nfs2 serves NFS version 2; without --vers 2 this uses version 3)"
                : "";
    }

    private static int misused(CommandLine.ParameterException wrong, String[] args) {
        var command = wrong.getCommandLine();
        var words =
                wrong instanceof CommandLine.UnmatchedArgumentException unmatched
                        ? Suggestions.line(unmatched)
                        : WrongArgument.words(wrong);
        command.getErr().println("rpcrdma: " + Printable.line(words));
        command.getErr().println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
        return CommandLine.ExitCode.USAGE;
    }
}
