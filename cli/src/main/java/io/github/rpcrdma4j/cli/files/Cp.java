package io.github.rpcrdma4j.cli.files;

import io.github.rpcrdma4j.cli.connect.Remote;
import io.github.rpcrdma4j.cli.terminal.Progress;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.copy.Copier;
import io.github.rpcrdma4j.nfs.client.copy.CopyRules;
import io.github.rpcrdma4j.nfs.client.copy.TreeCopier;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Copies files on a server. */
@Command(
        name = "cp",
        description = {
            "Copy a file, or with -r a tree, to another place in the same export.",
            "By version 4.2 the server copies, if it can; else the bytes pass through this machine.",
            "A URL of a link copies the file that it leads to, but with -a the link itself."
        },
        footer = {"", "Example: rpcrdma cp -r rdma://server/export/a /export/b"})
public final class Cp implements Callable<Integer> {
    private static final OtherPath OTHER = new OtherPath("cp", "copy");

    @Parameters(
            index = "0",
            paramLabel = "URL",
            description = "rdma://host[:port]/export/path, or nfs:// over TCP")
    private String url;

    @Parameters(
            index = "1",
            paramLabel = "TARGET",
            description = {
                "A path on the same server, or its URL.",
                "An existing directory receives the copy under its own name."
            })
    private String target;

    @Mixin private final CopyOptions options = new CopyOptions();
    @Mixin private final Transfer transfer = new Transfer();
    @Mixin private final Remote remote = new Remote();
    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        OTHER.requireRemote(url);
        var from = NfsUrl.parse(url);
        var to = OTHER.of(from, target);
        var progress = Progress.of("cp", Progress.Unit.BYTES, spec.commandLine().getErr());
        return transfer.run(
                "cp",
                remote,
                options.kept(),
                Transfer.Mode.USUAL,
                progress,
                copies ->
                        copies.each(
                                List.of(from),
                                each -> copy(copies.mount(each), copies.copier(each), each, to)));
    }

    private void copy(NfsMount mount, Copier copier, NfsUrl from, NfsUrl to)
            throws IOException, InterruptedException {
        var name = from.path().escaped();
        var file = FilesCommand.resolve(mount, from, !options.keepsLinks(), "cannot read");
        if (file.attributes().isDirectory() && !options.isRecursive()) {
            throw new IOException(name + " is a directory: copy it with -r");
        }
        var found = OTHER.resolve(mount, from, file, to);
        // As with put, a link at the target stays, and the file that it leads to is replaced.
        var there = mount.target(found);
        if (there.file().map(RemoteFile::handle).filter(file.handle()::equals).isPresent()) {
            throw new IOException(OTHER.what(from.path(), found) + ": they are the same file");
        }
        var place = there.place().orElseThrow();
        copier.sweep(place.directory());
        if (options.isRecursive()) {
            new TreeCopier(copier, CopyRules.EVERYTHING).copy(file, name, place, found.escaped());
        } else {
            copier.copy(file, name, place, found.escaped());
        }
    }
}
