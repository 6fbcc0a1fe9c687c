package io.github.rpcrdma4j.cli.files;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.RawText;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes links on a server. */
@Command(
        name = "ln",
        description = {
            "Add a name to a file on a server (a hard link), or with -s make a symbolic link.",
            "Nothing is replaced."
        },
        footer = {
            "",
            "Example: rpcrdma ln rdma://server/export/file /export/other",
            "Symbolic: rpcrdma ln -s file rdma://server/export/link"
        })
public final class Ln extends FilesCommand {
    private static final OtherPath OTHER = new OtherPath("ln", "link");

    @Option(
            names = {"-s", "--symbolic"},
            description = "Make a symbolic link; TARGET is its text, which need not exist.")
    private boolean symbolic;

    @Parameters(
            index = "0",
            paramLabel = "TARGET",
            description = "The URL of a file; with -s the text, which is a path.")
    private String target;

    @Parameters(
            index = "1",
            paramLabel = "LINK",
            description = "The new name: a URL, or without -s a path on the same server.")
    private String link;

    @Override
    List<String> urls() {
        return List.of(symbolic ? link : target);
    }

    @Override
    boolean takesPatterns() {
        // A link has one file.
        return false;
    }

    @Override
    void prepare() {
        if (symbolic && target.isEmpty()) {
            throw new IllegalArgumentException("the TARGET is an empty text");
        }
        if (symbolic && NfsUrl.isUrl(target)) {
            throw new IllegalArgumentException(
                    "the text of a symbolic link is a path, such as "
                            + NfsUrl.parse(target).path().escaped()
                            + ", not a URL");
        }
        if (!symbolic && !NfsUrl.isUrl(target)) {
            throw new IllegalArgumentException(
                    "without -s the TARGET is the URL of a file, not " + target);
        }
    }

    @Override
    void run(NfsMount mount, NfsUrl url) throws IOException, InterruptedException {
        if (symbolic) {
            var text = new PathName(RawText.bytes(target));
            mount.makeLink(url.path(), text);
            changed(mount, url.path());
            return;
        }
        var to = OTHER.of(url, link);
        var file = resolve(mount, url, false, "cannot link");
        var found = OTHER.resolve(mount, url, file, to);
        mount.link(file.handle(), found);
        changed(mount, found);
    }
}
