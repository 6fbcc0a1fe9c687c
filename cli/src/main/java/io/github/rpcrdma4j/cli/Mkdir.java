package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.client.NfsUrl;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Makes a folder. */
@Command(
        name = "mkdir",
        description = "Make a folder on a server.",
        footer = {"", "Example: rpcrdma mkdir rdma://server/export/folder"})
final class Mkdir implements Callable<Integer> {
    @Parameters(paramLabel = "URL", description = "rdma://host[:port]/export/path")
    private String url;

    @Mixin private final Remote remote = new Remote();

    @Override
    public Integer call() throws Exception {
        var place = NfsUrl.parse(url);
        try (remote;
                var mount = remote.mount(place)) {
            mount.makeFolder(mount.place(place.path()), "cannot make " + place.path().escaped());
        }
        return CommandLine.ExitCode.OK;
    }
}
