package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.NfsException;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsMount.RemoteFile;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.v3.Status;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Renames or moves a file on a server. */
@Command(
        name = "mv",
        description = "Rename or move a file within an export, or into an existing directory.",
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
            var file = mount.resolve(from.path());
            if (from.isDirectory() && !file.attributes().isDirectory()) {
                throw new NfsException("cannot rename " + from, Status.NOTDIR);
            }
            if (to.path().below(mount.export()).isEmpty()) {
                throw new IOException(
                        "cannot rename "
                                + from.path().escaped()
                                + " to "
                                + to.path().escaped()
                                + ": that is not below the export "
                                + mount.export().escaped());
            }
            var found = target(mount, from, to, file.attributes().isDirectory());
            var what = "cannot rename " + from.path().escaped() + " to " + found.escaped();
            requireElsewhere(from.path(), found, what);
            requireOther(file, mount.find(found), what);
            mount.rename(from.path(), found);
        }
        return CommandLine.ExitCode.OK;
    }

    private static void requireElsewhere(PathName from, PathName to, String what)
            throws IOException {
        var inside = to.below(from);
        if (inside.isPresent()) {
            throw new IOException(
                    what
                            + (inside.get().names().isEmpty()
                                    ? ": they are the same file"
                                    : ": that is below itself"));
        }
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

    /**
     * Refuses to rename one hard link of a file to another: RENAME would succeed and leave both
     * (RFC 1813).
     */
    private static void requireOther(RemoteFile file, Optional<RemoteFile> there, String what)
            throws IOException {
        if (there.isPresent()
                && there.get().attributes().fileId() == file.attributes().fileId()
                && there.get().attributes().fileSystemId() == file.attributes().fileSystemId()) {
            throw new IOException(what + ": they are the same file");
        }
    }

    /** Returns the new path. An existing directory receives the file under its own name. */
    private static PathName target(NfsMount mount, NfsUrl from, NfsUrl to, boolean directory)
            throws IOException, InterruptedException {
        var there = mount.target(to.path());
        if (there.file().isPresent() && there.file().get().attributes().isDirectory()) {
            var own = from.name().orElseThrow();
            return to.path().resolve(own);
        }
        if (to.isDirectory() && (there.file().isPresent() || !directory)) {
            throw new NfsException(
                    "cannot rename to " + to,
                    there.file().isPresent() ? Status.NOTDIR : Status.NOENT);
        }
        return to.path();
    }
}
