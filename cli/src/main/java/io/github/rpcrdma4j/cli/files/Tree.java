package io.github.rpcrdma4j.cli.files;

import io.github.rpcrdma4j.cli.terminal.Colors;
import io.github.rpcrdma4j.cli.terminal.Count;
import io.github.rpcrdma4j.cli.terminal.FileLine;
import io.github.rpcrdma4j.cli.terminal.Output;
import io.github.rpcrdma4j.cli.terminal.Terminal;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.RawText;
import io.github.rpcrdma4j.nfs.client.TreeWalk;
import io.github.rpcrdma4j.nfs.client.TreeWalk.Visit;
import io.github.rpcrdma4j.nfs.client.copy.TemporaryName;
import io.github.rpcrdma4j.nfs.client.service.NamedFile;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows a directory with everything below it. */
@Command(
        name = "tree",
        description = {
            "Show a directory on a server with all that is below it.",
            "Directories that cannot be listed are reported; the rest is shown."
        },
        footer = {"", "Example: rpcrdma tree rdma://server/export"})
public final class Tree extends MountCommand {
    @Mixin private final Output output = new Output();
    private final Colors colors = Colors.of(Terminal.isOutput(), System.getenv());

    @Override
    int run(NfsMount mount, NfsUrl url) throws IOException, InterruptedException {
        var top = FilesCommand.resolve(mount, url, true, "cannot list");
        if (!output.isJson()) {
            output.line(url.toString());
        }
        var shown = new Shown(mount);
        try {
            TreeWalk.walk(mount, remote.options(), top, url.path(), shown);
        } catch (IOException | InterruptedException lost) {
            output.endEarly();
            throw lost;
        }
        if (output.isJson()) {
            output.endList();
        } else {
            output.line(
                    Count.words(shown.directories, "directory")
                            + ", "
                            + Count.words(shown.files, "file"));
        }
        output.flush();
        return output.hasFailures() ? CommandLine.ExitCode.SOFTWARE : CommandLine.ExitCode.OK;
    }

    /** Prints the files of a walk. */
    private final class Shown implements TreeWalk.Visitor {
        private final NfsMount mount;
        private final LinkTexts links = new LinkTexts(output);

        /** The last shown entry of each directory that the walk is in. */
        private final ArrayDeque<NamedFile> last = new ArrayDeque<>();

        private long directories;
        private long files;

        Shown(NfsMount mount) {
            this.mount = mount;
        }

        @Override
        public void listed(Visit directory, List<NamedFile> entries) {
            var shown = entries.stream().filter(each -> !TemporaryName.is(each.name())).toList();
            last.push(shown.isEmpty() ? directory.file() : shown.getLast());
        }

        @Override
        public void left(Visit directory) {
            last.poll();
        }

        @Override
        public void visit(Visit visit) throws IOException, InterruptedException {
            var file = visit.file();
            if (visit.depth() == 0 || TemporaryName.is(file.name())) {
                return;
            }
            if (file.attributes().isDirectory() && file.refusal().isEmpty()) {
                directories++;
            } else {
                files++;
            }
            var text = links.of(mount, file, visit::shown);
            if (output.isJson()) {
                var path = RawText.of(visit.path().bytes());
                output.element(FileLine.json(path, file, text));
                return;
            }
            var line = new StringBuilder();
            indent(line, visit.above());
            line.append(file == last.peek() ? "└── " : "├── ");
            line.append(colors.of(file.attributes(), output.names().of(file.name())));
            text.ifPresent(target -> line.append(" -> ").append(output.names().of(target)));
            output.text(line.append('\n'));
        }

        /**
         * Appends the indentation of a line. Directories do not store theirs, which would be long
         * in deep trees.
         */
        private void indent(StringBuilder line, Visit directory) {
            var around = last.iterator();
            around.next();
            var parts = new ArrayDeque<String>();
            for (var at = directory; at.depth() > 0; at = at.above()) {
                parts.push(at.file() == around.next() ? "    " : "│   ");
            }
            parts.forEach(line::append);
        }

        @Override
        public void failed(Visit directory, IOException why) {
            // Nothing was listed, but the walk leaves the directory.
            last.push(directory.file());
            output.failed(why);
        }
    }
}
