package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.client.Copier;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.TreeCopier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Copies from a server. */
@Command(
        name = "get",
        mixinStandardHelpOptions = true,
        description = "Copy a file, or with -r a tree, from a server.",
        footer = {"", "Example: rpcrdma get -r rdma://server/export/folder ."})
final class Get implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "URL", description = "rdma://host[:port]/export/path")
    private String url;

    @Parameters(
            index = "1",
            paramLabel = "TARGET",
            defaultValue = ".",
            description = "A local file or folder (this folder).")
    private Path target;

    @Option(
            names = {"-r", "--recursive"},
            description = "Copy folders with all below them.")
    private boolean recursive;

    @Mixin private final Remote remote = new Remote();
    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        var place = NfsUrl.parse(url);
        var to = Files.isDirectory(target) ? target.resolve(place.name()) : target;
        try (remote;
                var mount = remote.mount(place);
                var progress = Progress.of("get")) {
            var source = mount.locate(place.path(), true);
            var copier = new Copier(mount, remote.options(), progress);
            if (!source.attributes().isDirectory()) {
                copier.get(source, place.path(), to);
            } else if (recursive) {
                new TreeCopier(copier, _ -> true).get(source, place.path(), to);
            } else {
                throw new IOException(place.path() + " is a folder: copy it with -r");
            }
            spec.commandLine().getErr().println(progress.finish());
        }
        return CommandLine.ExitCode.OK;
    }
}
