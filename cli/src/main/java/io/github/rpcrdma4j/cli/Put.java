package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.client.Copier;
import io.github.rpcrdma4j.nfs.client.LocalText;
import io.github.rpcrdma4j.nfs.client.NfsException;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.TreeCopier;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.Place;
import io.github.rpcrdma4j.nfs.v3.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Copies to a server. */
@Command(
        name = "put",
        mixinStandardHelpOptions = true,
        description = "Copy a file, or with -r a tree, to a server.",
        footer = {"", "Example: rpcrdma put -r folder rdma://server/export"})
final class Put implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "SOURCE", description = "A local file or folder.")
    private Path source;

    @Parameters(index = "1", paramLabel = "URL", description = "rdma://host[:port]/export/path")
    private String url;

    @Option(
            names = {"-r", "--recursive"},
            description = "Copy folders with all below them.")
    private boolean recursive;

    @Mixin private final Remote remote = new Remote();
    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        var place = NfsUrl.parse(url);
        if (!Files.exists(source)) {
            throw new NoSuchFileException(source.toString());
        }
        boolean folder = Files.isDirectory(source);
        if (folder && !recursive) {
            throw new IOException(source + " is a folder: copy it with -r");
        }
        try (remote;
                var mount = remote.mount(place);
                var progress = Progress.of("put")) {
            var target = target(mount, place);
            var copier = new Copier(mount, remote.options(), progress);
            if (folder) {
                new TreeCopier(copier, _ -> true).put(source, target, target.name().toString());
            } else {
                copier.put(source, target, target.name().toString());
            }
            spec.commandLine().getErr().println(progress.finish());
        }
        return CommandLine.ExitCode.OK;
    }

    /** A folder that is there takes the source under its own name. */
    private Place target(NfsMount mount, NfsUrl place) throws IOException, InterruptedException {
        try {
            var there = mount.locate(place.path(), true);
            if (there.attributes().isDirectory()) {
                var name = source.toRealPath().getFileName();
                var text =
                        LocalText.of(name)
                                .orElseThrow(() -> new IOException(name + " is not UTF-8"));
                return new Place(there.handle(), text);
            }
        } catch (NfsException missing) {
            if (missing.status() != Status.NOENT) {
                throw missing;
            }
        }
        return mount.place(place.path());
    }
}
