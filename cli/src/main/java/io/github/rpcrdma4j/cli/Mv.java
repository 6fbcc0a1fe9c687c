package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Renames or moves a file on a server. */
@Command(
        name = "mv",
        description = "Rename or move a file within an export, or into an existing directory.",
        footer = {"", "Example: rpcrdma mv rdma://server/export/a /export/b"})
final class Mv extends FilesCommand {
    private static final OtherPath OTHER = new OtherPath("mv", "rename");

    @Parameters(index = "0", paramLabel = "URL", description = "rdma://host[:port]/export/path")
    private String url;

    @Parameters(
            index = "1",
            paramLabel = "TARGET",
            description = "A path on the same server, or its URL.")
    private String target;

    @Override
    List<String> urls() {
        return List.of(url);
    }

    @Override
    void run(NfsMount mount, NfsUrl from) throws IOException, InterruptedException {
        var to = OTHER.of(from, target);
        var file = mount.resolve(from.path());
        requireDirectory(from, file, "cannot rename");
        var found = OTHER.resolve(mount, from, file, to);
        mount.rename(from.path(), found);
        changed(mount, found);
    }
}
