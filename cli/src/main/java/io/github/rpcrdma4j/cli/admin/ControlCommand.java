package io.github.rpcrdma4j.cli.admin;

import io.github.rpcrdma4j.cli.service.ControlOption;
import io.github.rpcrdma4j.cli.service.ControlRequest;
import io.github.rpcrdma4j.cli.service.ControlRequest.Subject;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A command for the administrator of a server on this host. */
abstract class ControlCommand implements Callable<Integer> {
    @Mixin private final ControlOption control = new ControlOption();

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
        control.ask(request, spec.commandLine());
    }
}
