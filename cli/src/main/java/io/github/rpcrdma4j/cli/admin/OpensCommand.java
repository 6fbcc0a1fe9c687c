package io.github.rpcrdma4j.cli.admin;

import io.github.rpcrdma4j.cli.service.ControlRequest.Subject;
import picocli.CommandLine.Command;

/** Show which files clients have open, by OPEN of NFS version 4 or SHARE of NLM. */
@Command(
        name = "opens",
        description =
                "Show which files clients have open, by OPEN of NFS version 4 or SHARE of NLM.",
        footer = {
            "",
            "The server has to run on this host, as this user.",
            "",
            "Example: rpcrdma opens",
            "Which file that is: find DIRECTORY -xdev -inum INODE"
        })
public final class OpensCommand extends ControlCommand {
    OpensCommand() {
        super(Subject.OPENS);
    }
}
