package io.github.rpcrdma4j.cli.files;

import io.github.rpcrdma4j.cli.connect.Remote;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** A command on one file of a server, which is named by a URL. */
abstract class MountCommand implements Callable<Integer> {
    @Parameters(
            paramLabel = "URL",
            description = "rdma://host[:port]/export/path, or nfs:// over TCP")
    private String url;

    @Mixin final Remote remote = new Remote();
    @CommandLine.Spec CommandLine.Model.CommandSpec spec;

    @Override
    public final Integer call() throws Exception {
        var parsed = NfsUrl.parse(url);
        try (remote;
                var mount = remote.mount(parsed)) {
            return run(mount, parsed);
        }
    }

    /**
     * Runs the command.
     *
     * @param mount the mounted export that holds the file
     * @return the exit code
     */
    abstract int run(NfsMount mount, NfsUrl url) throws IOException, InterruptedException;
}
