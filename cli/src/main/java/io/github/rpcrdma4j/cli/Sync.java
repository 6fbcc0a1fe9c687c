package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.CopyRules;
import io.github.rpcrdma4j.nfs.client.CopyRules.Comparison;
import io.github.rpcrdma4j.nfs.client.NfsException;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.PreservedAttributes;
import io.github.rpcrdma4j.nfs.client.TreeCopier;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes a directory like another one, of which one is on a server. */
@Command(
        name = "sync",
        description = {
            "Make the directory TARGET like the directory SOURCE; one is on a server.",
            "Files of the same size and modification time are not copied again. Modes,",
            "times and access control lists are kept, and the owner if permitted. Links",
            "stay links; none is followed. Files that SOURCE does not have stay, unless",
            "--delete removes them: try it with --dry-run first."
        },
        footer = {
            "",
            "Example: rpcrdma sync photos rdma://server/export/photos",
            "Tried: rpcrdma sync -n --delete rdma://server/export/photos photos"
        })
final class Sync implements Callable<Integer> {
    @Parameters(
            index = "0",
            paramLabel = "SOURCE",
            description = "A local directory, or rdma://host[:port]/export/path.")
    private String source;

    @Parameters(
            index = "1",
            paramLabel = "TARGET",
            description = "The other one. It is made if it does not exist.")
    private String target;

    @Option(
            names = {"-a", "--archive"},
            description = "No effect: sync always keeps attributes, as rsync -a does.")
    private boolean archive;

    @Option(
            names = {"-r", "--recursive"},
            description = "No effect: sync always copies all that is below.")
    private boolean recursive;

    @Option(
            names = {"-c", "--checksum"},
            description = "Compare contents, which are read on both sides, in place of times.")
    private boolean byContents;

    @Option(
            names = "--delete",
            description =
                    "Remove files of TARGET that SOURCE does not have. Excluded files stay, and so"
                            + " does all in a directory in which something failed. An empty SOURCE"
                            + " removes nothing.")
    private boolean deletes;

    @Mixin private final Selection selection = new Selection();
    @Mixin private final Transfer transfer = new Transfer();
    @Mixin private final Remote remote = new Remote();
    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        if (source.isEmpty() || target.isEmpty()) {
            throw new IllegalArgumentException("SOURCE and TARGET are not empty names");
        }
        boolean isPut = NfsUrl.isUrl(target);
        if (isPut == NfsUrl.isUrl(source)) {
            throw new IllegalArgumentException(
                    "one of SOURCE and TARGET is a URL, and the other a local directory");
        }
        var url = NfsUrl.parse(isPut ? target : source);
        var comparison = byContents ? Comparison.CONTENTS : Comparison.SIZE_AND_TIME;
        var rules = selection.rules(comparison, deletes);
        if (isPut && !Files.isDirectory(RawArguments.path(source))) {
            throw new IOException("cannot read " + source + ": not a directory");
        }
        return transfer.run(
                "sync",
                remote,
                PreservedAttributes.ATTRIBUTES,
                selection.mode(),
                Progress.of("sync", Progress.Unit.BYTES, spec.commandLine().getErr()),
                copies ->
                        copies.each(
                                List.of(url),
                                each -> {
                                    if (isPut) {
                                        put(copies, each, rules);
                                    } else {
                                        get(copies, each, rules);
                                    }
                                }));
    }

    private void put(Copies copies, NfsUrl url, CopyRules rules)
            throws IOException, InterruptedException {
        var mount = copies.mount(url);
        var found = mount.target(url.path());
        if (found.file().isPresent() && !found.file().get().attributes().isDirectory()) {
            throw new NfsException("cannot write " + url, Status.NOTDIR);
        }
        var tree = RawArguments.path(source).toRealPath();
        // The root of an export lies in no directory of it.
        var place =
                found.place().isPresent()
                        ? found.place().get()
                        : new DirOpArgs(found.file().orElseThrow().handle(), FileName.SELF);
        new TreeCopier(copies.copier(url), rules).put(tree, source, place, url.path().escaped());
    }

    private void get(Copies copies, NfsUrl url, CopyRules rules)
            throws IOException, InterruptedException {
        var file = FilesCommand.resolve(copies.mount(url), url, true, "cannot read");
        if (!file.attributes().isDirectory()) {
            throw new NfsException("cannot read " + url, Status.NOTDIR);
        }
        var local = RawArguments.path(target);
        if (!Files.exists(local) && Files.exists(local, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException(
                    "cannot write " + target + ": it is a link to a directory that is not there");
        }
        // The user may name a link to the directory; none below it is followed.
        var directory = Files.exists(local) ? local.toRealPath() : local;
        new TreeCopier(copies.copier(url), rules).get(file, url.path().escaped(), directory);
    }
}
