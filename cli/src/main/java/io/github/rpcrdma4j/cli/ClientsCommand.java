package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.cli.ControlRequest.Subject;
import java.io.IOException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Show the clients of NFS version 4 at a server, or end one. */
@Command(
        name = "clients",
        description = "Show the clients of NFS version 4 at a server, or end one.",
        footer = {
            "",
            "Names the host from which each came: its address, of IPv6 the first 64 bits. Behind a",
            "gateway this is the address of the gateway. The server has to run on this host, as this",
            "user.",
            "",
            "Example: rpcrdma clients",
            "To take the opens and locks of a client: rpcrdma clients --end 6a1f0b2c00000001"
        })
final class ClientsCommand extends ControlCommand {
    @Option(
            names = "--end",
            paramLabel = "CLIENT",
            description =
                    "Take all opens and locks of this client; it may reclaim none of them. Programs"
                            + " that use them get errors.")
    private String ended;

    ClientsCommand() {
        super(Subject.CLIENTS);
    }

    @Override
    public Integer call() throws IOException {
        if (ended == null) {
            return super.call();
        }
        ask(new ControlRequest.End(ControlRequest.id(ended)));
        return CommandLine.ExitCode.OK;
    }
}
