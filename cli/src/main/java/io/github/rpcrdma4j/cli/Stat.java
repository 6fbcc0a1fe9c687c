package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.dissect.Json;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows the attributes of one file. */
@Command(
        name = "stat",
        mixinStandardHelpOptions = true,
        description = "Show the attributes of a file on a server; a link is not followed.",
        footer = {"", "Example: rpcrdma stat --json rdma://server/export/file"})
final class Stat implements Callable<Integer> {
    @Parameters(paramLabel = "URL", description = "rdma://host[:port]/export/path")
    private String url;

    @Option(names = "--json", description = "Print a JSON object.")
    private boolean json;

    @Mixin private final Remote remote = new Remote();
    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        var place = NfsUrl.parse(url);
        var out = spec.commandLine().getOut();
        try (remote;
                var mount = remote.mount(place)) {
            var file = mount.locate(place.path());
            var fields = FileLine.json(place.path(), file.attributes());
            if (json) {
                out.println(Json.of(fields));
            } else {
                fields.forEach((name, value) -> out.printf("%-9s %s%n", name, value));
            }
        }
        return CommandLine.ExitCode.OK;
    }
}
