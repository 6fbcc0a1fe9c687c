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
        var to = target(from);
        try (remote;
                var mount = remote.mount(from)) {
            var what = "cannot rename " + from.path().escaped() + " to " + to.path().escaped();
            var file = mount.locate(from.path());
            if (from.isFolder() && !file.attributes().isDirectory()) {
                throw new NfsException("cannot rename " + from, Status.NOTDIR);
            }
            mount.rename(
                    mount.place(from.path()),
                    place(mount, from, to, file.attributes().isDirectory()),
                    what);
        }
        return CommandLine.ExitCode.OK;
    }

    private NfsUrl target(NfsUrl from) throws IOException {
        if (!NfsUrl.isUrl(target)) {
            if (!target.startsWith("/")) {
                throw new IllegalArgumentException(
                        "the target is a path from the top of the server, such as "
                                + from.path().escaped()
                                + ", or a URL; not "
                                + target);
            }
            return from.withPath(target);
        }
        var other = NfsUrl.parse(target);
        if (!other.host().equals(from.host()) || other.port() != from.port()) {
            throw new IOException("mv works on one server: use get and put between two");
        }
        return other;
    }

    private static Place place(NfsMount mount, NfsUrl from, NfsUrl to, boolean folder)
            throws IOException, InterruptedException {
        var there = mount.target(to.path());
        if (there.file().isPresent() && there.file().get().attributes().isDirectory()) {
            return new Place(there.file().get().handle(), from.name().orElseThrow());
        }
        if (to.isFolder() && (there.file().isPresent() || !folder)) {
            throw new NfsException(
                    "cannot rename to " + to,
                    there.file().isPresent() ? Status.NOTDIR : Status.NOENT);
        }
        return mount.place(to.path());
    }
}
