package io.github.rpcrdma4j.cli.files;

import io.github.rpcrdma4j.cli.terminal.OwnerText;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import java.io.IOException;
import java.util.List;
import java.util.OptionalInt;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Changes the owner of files on a server. */
@Command(
        name = "chown",
        description = {
            "Change the owner of files on a server.",
            "Most servers let root alone give files away, and take root for an anonymous",
            "user unless a rule there says no_root_squash. With -R links themselves are",
            "changed."
        },
        footer = {"", "Example: rpcrdma chown alice:users rdma://server/export/file"})
public final class Chown extends FilesCommand {
    @Mixin private final ChangeOptions options = new ChangeOptions();

    @Option(
            names = {"-n", "--no-dereference"},
            description = "Change a link itself and not the file that it leads to.")
    private boolean ofLinks;

    @Parameters(
            index = "0",
            paramLabel = "OWNER",
            description = "USER, USER:GROUP or :GROUP; numbers, or names of this machine.")
    private String owner;

    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "URL",
            description = "rdma://host[:port]/export/path, or nfs:// over TCP")
    private List<String> urls;

    private OwnerText wanted;

    @Override
    List<String> urls() {
        return urls;
    }

    @Override
    void prepare() {
        wanted = OwnerText.parse(owner);
    }

    @Override
    void run(NfsMount mount, NfsUrl url) throws IOException, InterruptedException {
        var what = "cannot change the owner of";
        var file = resolve(mount, url, !ofLinks, what);
        options.change(this, mount, file, url, what + " ", this::changes);
    }

    private AttributeChanges changes(FileAttributes file) {
        boolean isSame = isSame(wanted.user(), file.uid()) && isSame(wanted.group(), file.gid());
        return isSame
                ? AttributeChanges.NONE
                : AttributeChanges.NONE.withOwner(wanted.user(), wanted.group());
    }

    private static boolean isSame(OptionalInt wanted, int now) {
        return wanted.orElse(now) == now;
    }
}
