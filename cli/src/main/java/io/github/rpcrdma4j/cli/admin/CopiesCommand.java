package io.github.rpcrdma4j.cli.admin;

import io.github.rpcrdma4j.cli.service.ControlRequest.Subject;
import picocli.CommandLine.Command;

/** Show which files the server copies for clients after its replies. */
@Command(
        name = "copies",
        description = "Show which files the server copies for clients after its replies.",
        footer = {
            "",
            "The server has to run on this host, as this user. It has such copies only with",
            "--async-copies. To stop those of a client: rpcrdma clients --end NUMBER",
            "",
            "Example: rpcrdma copies"
        })
public final class CopiesCommand extends ControlCommand {
    CopiesCommand() {
        super(Subject.COPIES);
    }
}
