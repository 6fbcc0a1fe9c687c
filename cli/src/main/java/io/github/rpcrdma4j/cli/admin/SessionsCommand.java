package io.github.rpcrdma4j.cli.admin;

import io.github.rpcrdma4j.cli.service.ControlRequest.Subject;
import picocli.CommandLine.Command;

/** Show the sessions of NFS 4.1 and 4.2 at a server. */
@Command(
        name = "sessions",
        description = "Show the sessions of NFS 4.1 and 4.2 at a server.",
        footer = {
            "",
            "The server has to run on this host, as this user.",
            "",
            "Example: rpcrdma sessions --json"
        })
public final class SessionsCommand extends ControlCommand {
    SessionsCommand() {
        super(Subject.SESSIONS);
    }
}
