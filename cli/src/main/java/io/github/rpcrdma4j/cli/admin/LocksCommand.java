package io.github.rpcrdma4j.cli.admin;

import io.github.rpcrdma4j.cli.service.ControlRequest.Subject;
import picocli.CommandLine.Command;

/** Show which bytes of files clients have locked. */
@Command(
        name = "locks",
        description = "Show which bytes of files clients have locked.",
        footer = {
            "",
            "The server has to run on this host, as this user.",
            "",
            "Example: rpcrdma locks"
        })
public final class LocksCommand extends ControlCommand {
    LocksCommand() {
        super(Subject.LOCKS);
    }
}
