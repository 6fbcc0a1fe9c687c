package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.cli.ControlRequest.Subject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** A command for the administrator of a server on this host. */
abstract class ControlCommand implements Callable<Integer> {
    @Option(
            names = "--control",
            paramLabel = "SOCKET",
            converter = RawArguments.PathConverter.class,
            description =
                    "The control socket that serve prints; by default that of port 20049 on all"
                            + " addresses.")
    private Path socket;

    @Option(names = "--json", description = "Print JSON objects, one on a line.")
    private boolean json;

    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    private final Subject subject;

    ControlCommand(Subject subject) {
        this.subject = subject;
    }

    @Override
    public Integer call() throws IOException {
        ask(new ControlRequest.Show(subject, json));
        return CommandLine.ExitCode.OK;
    }

    /** Sends a request, and prints the response. */
    final void ask(ControlRequest request) throws IOException {
        var command = spec.commandLine();
        var path = socket == null ? StateFiles.control() : socket;
        if (ControlSocket.ask(path, request, command.getOut())) {
            command.getErr()
                    .println(
                            "rpcrdma: there are more than "
                                    + ControlRequest.ENTRIES_MAX
                                    + "; the rest is not shown");
        }
    }
}
