package io.github.rpcrdma4j.cli.files;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.Umask;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Changes the permissions of files on a server. */
@Command(
        name = "chmod",
        description = {
            "Change the permissions of files on a server.",
            "A URL of a link changes the file that it leads to. With -R links are left alone."
        },
        footer = {"", "Example: rpcrdma chmod -R u+rwX,go-w rdma://server/export/directory"})
public final class Chmod extends FilesCommand {
    @Mixin private final ChangeOptions options = new ChangeOptions();

    @Parameters(
            index = "0",
            paramLabel = "MODE",
            description = "Octal, such as 640, or symbolic, such as u+x,go-w.")
    private String mode;

    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "URL",
            description = "rdma://host[:port]/export/path, or nfs:// over TCP")
    private List<String> urls;

    private ModeChange change;

    @Override
    List<String> urls() {
        return urls;
    }

    @Override
    void prepare() {
        change = ModeChange.parse(mode, Umask.current());
    }

    @Override
    void run(NfsMount mount, NfsUrl url) throws IOException, InterruptedException {
        var what = "cannot change the mode of";
        var file = resolve(mount, url, true, what);
        options.change(
                this,
                mount,
                file,
                url,
                what + " ",
                attributes -> {
                    int now = attributes.mode();
                    int wanted = change.apply(now, attributes.isDirectory());
                    boolean isLeft = attributes.type() == FileType.SYMBOLIC_LINK || now == wanted;
                    return isLeft ? AttributeChanges.NONE : AttributeChanges.ofMode(wanted);
                });
    }
}
