package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.client.LeftOut;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.Place;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Removes. */
@Command(
        name = "rm",
        mixinStandardHelpOptions = true,
        description = "Remove a file, an empty folder, or with -r a tree on a server.",
        footer = {"", "Example: rpcrdma rm rdma://server/export/old.txt"})
final class Rm implements Callable<Integer> {
    @Parameters(paramLabel = "URL", description = "rdma://host[:port]/export/path")
    private String url;

    @Option(
            names = {"-r", "--recursive"},
            description = "Remove folders with all below them.")
    private boolean recursive;

    @Mixin private final Remote remote = new Remote();

    @Override
    public Integer call() throws Exception {
        var place = NfsUrl.parse(url);
        try (remote;
                var mount = remote.mount(place)) {
            var file = mount.locate(place.path());
            remove(
                    mount,
                    mount.place(place.path()),
                    file.handle(),
                    file.attributes().isDirectory(),
                    place.path());
        }
        return CommandLine.ExitCode.OK;
    }

    private void remove(NfsMount mount, Place place, FileHandle file, boolean folder, String path)
            throws IOException, InterruptedException {
        var what = "cannot remove " + path;
        if (!folder) {
            mount.remove(place, what);
            return;
        }
        if (recursive) {
            var leftOut = new LeftOut();
            var children = mount.list(file, path, leftOut);
            // The folder could not be removed, so what is in it stays too.
            leftOut.requireNone();
            for (var child : children) {
                remove(
                        mount,
                        new Place(file, child.name()),
                        child.handle(),
                        child.attributes().isDirectory(),
                        path + "/" + child.name());
            }
        }
        mount.removeFolder(place, what);
    }
}
