package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.dissect.Json;
import io.github.rpcrdma4j.nfs.client.LeftOut;
import io.github.rpcrdma4j.nfs.client.NfsMount.Named;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists a folder, or shows one file. */
@Command(
        name = "ls",
        mixinStandardHelpOptions = true,
        description = "List a folder on a server.",
        footer = {"", "Example: rpcrdma ls -l rdma://server/export/folder"})
final class Ls implements Callable<Integer> {
    @Parameters(paramLabel = "URL", description = "rdma://host[:port]/export/path")
    private String url;

    @Option(names = "-l", description = "Show mode, owner, size and time.")
    private boolean longForm;

    @Option(names = "--json", description = "Print a JSON array.")
    private boolean json;

    @Mixin private final Remote remote = new Remote();
    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        var place = NfsUrl.parse(url);
        try (remote;
                var mount = remote.mount(place)) {
            var located = mount.locate(place.path(), true);
            var leftOut = new LeftOut();
            List<Named> names =
                    located.attributes().isDirectory()
                            ? new ArrayList<>(mount.list(located.handle(), place.path(), leftOut))
                            : List.of(
                                    new Named(
                                            place.name(), located.handle(), located.attributes()));
            print(names.stream().sorted(Comparator.comparing(Named::name)).toList());
            leftOut.requireNone();
        }
        return CommandLine.ExitCode.OK;
    }

    private void print(List<Named> names) {
        var out = spec.commandLine().getOut();
        if (json) {
            out.println(
                    Json.of(
                            names.stream()
                                    .map(each -> FileLine.json(each.name(), each.attributes()))
                                    .toList()));
            return;
        }
        for (var each : names) {
            out.println(longForm ? FileLine.of(each.name(), each.attributes()) : each.name());
        }
    }
}
