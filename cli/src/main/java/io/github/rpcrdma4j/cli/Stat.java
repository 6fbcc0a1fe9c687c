package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.dissect.Json;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.NfsException;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.RawText;
import io.github.rpcrdma4j.nfs.v3.FileType;
import io.github.rpcrdma4j.nfs.v3.Status;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows the attributes of one file. */
@Command(
        name = "stat",
        description =
                "Show the attributes of a file on a server; a link is followed where a slash follows.",
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
            var file = mount.locate(place.path(), place.isFolder());
            if (place.isFolder() && !file.attributes().isDirectory()) {
                throw new NfsException("cannot stat " + place, Status.NOTDIR);
            }
            var text =
                    file.attributes().type() == FileType.SYMBOLIC_LINK
                            ? Optional.of(
                                    mount.client().readLink(file.handle(), "cannot read the link"))
                            : Optional.<PathName>empty();
            var path = RawText.of(place.path().bytes());
            var fields = FileLine.json(path, file.attributes(), text);
            if (json) {
                out.println(Json.of(fields));
            } else {
                var shown = new QuotedName(Terminal.isOutput());
                fields.put("name", shown.of(place.path()));
                text.ifPresent(target -> fields.put("target", shown.of(target)));
                fields.forEach((name, value) -> out.printf("%-9s %s%n", name, value));
            }
        }
        return CommandLine.ExitCode.OK;
    }
}
