package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.client.NfsException;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.Place;
import io.github.rpcrdma4j.nfs.v3.Status;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Renames and moves. */
@Command(
        name = "mv",
        mixinStandardHelpOptions = true,
        description = "Rename or move within an export; into a folder that is there.",
        footer = {"", "Example: rpcrdma mv rdma://server/export/a /export/b"})
final class Mv implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "URL", description = "rdma://host[:port]/export/path")
    private String url;

    @Parameters(
            index = "1",
            paramLabel = "TARGET",
            description = "A path on the same server, or its URL.")
    private String target;

    @Mixin private final Remote remote = new Remote();

    @Override
    public Integer call() throws Exception {
        var from = NfsUrl.parse(url);
        var to = NfsUrl.isUrl(target) ? NfsUrl.parse(target).path() : target;
        if (NfsUrl.isUrl(target)) {
            var other = NfsUrl.parse(target);
            if (!other.host().equals(from.host()) || other.port() != from.port()) {
                throw new IOException("mv works on one server: use get and put between two");
            }
        }
        try (remote;
                var mount = remote.mount(from)) {
            mount.rename(
                    mount.place(from.path()),
                    place(mount, to, from.name()),
                    "cannot rename " + from.path() + " to " + to);
        }
        return CommandLine.ExitCode.OK;
    }

    private static Place place(NfsMount mount, String path, String name)
            throws IOException, InterruptedException {
        try {
            var there = mount.locate(path, true);
            if (there.attributes().isDirectory()) {
                return new Place(there.handle(), name);
            }
        } catch (NfsException missing) {
            if (missing.status() != Status.NOENT) {
                throw missing;
            }
        }
        return mount.place(path);
    }
}
