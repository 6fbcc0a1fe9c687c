package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import java.io.IOException;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Makes a directory on a server. */
@Command(
        name = "mkdir",
        description = "Make a directory on a server.",
        footer = {"", "Example: rpcrdma mkdir rdma://server/export/directory"})
final class Mkdir extends MountCommand {
    @Override
    int run(NfsMount mount, NfsUrl url) throws IOException, InterruptedException {
        mount.makeDirectory(url.path());
        return CommandLine.ExitCode.OK;
    }
}
