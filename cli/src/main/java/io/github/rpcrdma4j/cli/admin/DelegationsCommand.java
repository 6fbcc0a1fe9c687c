package io.github.rpcrdma4j.cli.admin;

import io.github.rpcrdma4j.cli.service.ControlRequest.Subject;
import picocli.CommandLine.Command;

/** Show which files clients of NFS version 4 keep to themselves. */
@Command(
        name = "delegations",
        description = "Show which files clients of NFS version 4 keep to themselves.",
        footer = {
            "",
            "The server has to run on this host, as this user.",
            "",
            "Example: rpcrdma delegations",
            "Which file that is: find DIRECTORY -xdev -inum INODE"
        })
public final class DelegationsCommand extends ControlCommand {
    DelegationsCommand() {
        super(Subject.DELEGATIONS);
    }
}
