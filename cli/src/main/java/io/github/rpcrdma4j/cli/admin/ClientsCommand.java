package io.github.rpcrdma4j.cli.admin;

import io.github.rpcrdma4j.cli.service.ControlRequest;
import io.github.rpcrdma4j.cli.service.ControlRequest.Subject;
import java.io.IOException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Show the clients that a server keeps opens and locks for, or end one. */
@Command(
        name = "clients",
        description = "Show the clients that a server keeps opens and locks for, or end one.",
        footer = {
            "",
            "Clients are those of NFS version 4, and hosts with locks of version 3. Each has",
            "the address of its host, of IPv6 the first 64 bits; behind a gateway, that of",
            "the gateway. The server has to run on this host, as this user; root may name",
            "the --control of any server.",
            "",
            "Example: rpcrdma clients",
            "To take the opens and locks of a client: rpcrdma clients --end 6a1f0b2c00000001"
        })
public final class ClientsCommand extends ControlCommand {
    @Option(
            names = "--end",
            paramLabel = "CLIENT",
            description =
                    "Take all opens and locks of this client; it may reclaim none of them. Programs"
                            + " that use them get errors. The first 8 digits do, as the log has"
                            + " them.")
    private String ended;

    ClientsCommand() {
        super(Subject.CLIENTS);
    }

    @Override
    public Integer call() throws IOException {
        if (ended == null) {
            return super.call();
        }
        ask(ControlRequest.End.of(ended));
        return CommandLine.ExitCode.OK;
    }
}
