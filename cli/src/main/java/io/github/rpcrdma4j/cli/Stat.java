package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.dissect.Json;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.NfsException;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.RawText;
import io.github.rpcrdma4j.nfs.v3.FileType;
import io.github.rpcrdma4j.nfs.v3.Status;
import java.io.IOException;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows the attributes of one file. */
@Command(
        name = "stat",
        description =
                "Show the attributes of a file on a server; a link is followed where a slash follows.",
        footer = {"", "Example: rpcrdma stat --json rdma://server/export/file"})
final class Stat extends MountCommand {
    @Option(names = "--json", description = "Print a JSON object.")
    private boolean json;

    @Override
    int run(NfsMount mount, NfsUrl url) throws IOException, InterruptedException {
        var out = spec.commandLine().getOut();
        var file = mount.resolve(url.path(), url.isDirectory());
        if (url.isDirectory() && !file.attributes().isDirectory()) {
            throw new NfsException("cannot stat " + url, Status.NOTDIR);
        }
        var text =
                file.attributes().type() == FileType.SYMBOLIC_LINK
                        ? Optional.of(mount.client().readLink(file.handle()))
                        : Optional.<PathName>empty();
        var path = RawText.of(url.path().bytes());
        var fields = FileLine.json(path, file.attributes(), text);
        if (json) {
            out.println(Json.of(fields));
        } else {
            var shown = new QuotedName(Terminal.isOutput());
            fields.put("name", shown.of(url.path()));
            text.ifPresent(target -> fields.put("target", shown.of(target)));
            fields.forEach((name, value) -> out.printf("%-9s %s%n", name, value));
        }
        return CommandLine.ExitCode.OK;
    }
}
