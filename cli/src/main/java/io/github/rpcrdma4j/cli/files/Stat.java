package io.github.rpcrdma4j.cli.files;

import io.github.rpcrdma4j.cli.terminal.FileLine;
import io.github.rpcrdma4j.cli.terminal.Output;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.RawText;
import java.io.IOException;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows the attributes of one file. */
@Command(
        name = "stat",
        description =
                "Show the attributes of a file on a server; a link is followed where a slash follows.",
        footer = {"", "Example: rpcrdma stat --json rdma://server/export/file"})
public final class Stat extends MountCommand {
    @Mixin private final Output output = new Output();

    @Override
    int run(NfsMount mount, NfsUrl url) throws IOException, InterruptedException {
        var file = FilesCommand.resolve(mount, url, false, "cannot stat");
        var text =
                file.attributes().type() == FileType.SYMBOLIC_LINK
                        ? Optional.of(
                                mount.service().readLink(file.handle(), "cannot read the link"))
                        : Optional.<PathName>empty();
        var path = RawText.of(url.path().bytes());
        var fields = FileLine.json(path, file.attributes(), text);
        if (output.isJson()) {
            output.object(fields);
        } else {
            fields.put("name", output.names().of(url.path()));
            text.ifPresent(target -> fields.put("target", output.names().of(target)));
            fields.forEach((name, value) -> output.line("%-9s %s".formatted(name, value)));
        }
        output.flush();
        return CommandLine.ExitCode.OK;
    }
}
