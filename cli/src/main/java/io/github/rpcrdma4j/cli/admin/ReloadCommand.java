package io.github.rpcrdma4j.cli.admin;

import io.github.rpcrdma4j.cli.service.ControlOption;
import io.github.rpcrdma4j.cli.service.ControlRequest;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Have a server read its config file again. */
@Command(
        name = "reload",
        description = "Have a server read its config file again, while it serves.",
        footer = {
            "",
            "Exports come, go and change; no call is lost. If the file is wrong, nothing",
            "changes, and this says why. The server has to run on this host, as this user.",
            "",
            "Example: rpcrdma reload"
        })
public final class ReloadCommand implements Callable<Integer> {
    @Mixin private final ControlOption control = new ControlOption();

    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        control.ask(new ControlRequest.Reload(), spec.commandLine());
        return CommandLine.ExitCode.OK;
    }
}
