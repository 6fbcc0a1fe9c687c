package io.github.rpcrdma4j.cli.files;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Renames or moves files on a server. */
@Command(
        name = "mv",
        description = "Rename or move files within an export, or into an existing directory.",
        footer = {"", "Example: rpcrdma mv rdma://server/export/a /export/b"})
public final class Mv extends FilesCommand {
    private static final OtherPath OTHER = new OtherPath("mv", "rename");

    @Parameters(
            arity = "2..*",
            paramLabel = "URL... TARGET",
            hideParamSyntax = true,
            description =
                    "Files, rdma://host[:port]/export/path or nfs://, then a path on the same server, or its"
                            + " URL. Several files need a directory.")
    private List<String> arguments;

    @Option(
            names = {"-n", "--no-clobber"},
            description = "Leave a file where it is if there is one of its new name.")
    private boolean keepsOthers;

    /** Whether there are several files, which need a directory. */
    private boolean areSeveral;

    /** The new paths of the files that this command has moved. */
    private final Set<PathName> moved = new HashSet<>();

    @Override
    List<String> urls() {
        return arguments.subList(0, arguments.size() - 1);
    }

    @Override
    void prepare() {
        urls().forEach(OTHER::requireRemote);
    }

    @Override
    void matched(List<NfsUrl> matches) {
        areSeveral = urls().size() > 1 || matches.size() > 1;
    }

    @Override
    void run(NfsMount mount, NfsUrl from) throws IOException, InterruptedException {
        var to = OTHER.of(from, arguments.getLast());
        if (areSeveral && !isDirectory(mount, to)) {
            throw new IOException(to + ": not a directory, but there are several files to move");
        }
        var file = mount.resolve(from.path());
        requireDirectory(from, file, "cannot rename");
        var found = OTHER.resolve(mount, from, file, to);
        if (moved.contains(found)) {
            throw new IOException(
                    OTHER.what(from.path(), found) + ": another file was just moved there");
        }
        if (keepsOthers && mount.find(found).isPresent()) {
            return;
        }
        mount.rename(from.path(), found);
        moved.add(found);
        changed(mount, found);
    }

    private static boolean isDirectory(NfsMount mount, NfsUrl url)
            throws IOException, InterruptedException {
        return mount.target(url.path())
                .file()
                .filter(there -> there.attributes().isDirectory())
                .isPresent();
    }
}
