package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.dissect.Json;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.Nfs3Client;
import io.github.rpcrdma4j.nfs.client.NfsException;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsMount.NamedFile;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.RawText;
import io.github.rpcrdma4j.nfs.client.TemporaryName;
import io.github.rpcrdma4j.nfs.mount.Mount3.ExportEntry;
import io.github.rpcrdma4j.nfs.v3.Status;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists a directory, a single file, or the exports of a server. */
@Command(
        name = "ls",
        description = {
            "List a directory on a server; of a server alone, what it exports.",
            "On a terminal names are quoted as a shell wants them, elsewhere they are their bytes."
        },
        footer = {
            "",
            "Example: rpcrdma ls -l rdma://server/export/directory",
            "Exports: rpcrdma ls rdma://server/"
        })
final class Ls implements Callable<Integer> {
    private static final PathName TOP = PathName.of("/");

    /** Output is printed in portions of about this length, in characters. */
    private static final int BUFFER_LENGTH = 1 << 16;

    @Parameters(paramLabel = "URL", description = "rdma://host[:port]/export/path")
    private String url;

    @Option(names = "-l", description = "Show mode, owner, size, time, and the targets of links.")
    private boolean longForm;

    @Option(names = "-h", description = "With -l, show sizes with units, such as 1.5 MiB.")
    private boolean wordsForSizes;

    @Option(names = "-a", description = "Also show incomplete copies.")
    private boolean all;

    @Option(
            names = "--json",
            description = {
                "Print a JSON array. A byte of a name that is not",
                "UTF-8 is \\udc80 to \\udcff, as Python has it."
            })
    private boolean json;

    @Mixin private final Remote remote = new Remote();
    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;
    private final QuotedName shown = new QuotedName(Terminal.isOutput());

    @Override
    public Integer call() throws Exception {
        var parsed = NfsUrl.parse(url);
        try (remote;
                var client = remote.client(parsed)) {
            if (parsed.path().equals(TOP)) {
                var exports = client.exports();
                // Only an export named "/" can be listed by this path.
                if (exports.stream().noneMatch(each -> each.path().equals(TOP))) {
                    printExports(exports);
                    return CommandLine.ExitCode.OK;
                }
            }
            return list(client, parsed);
        }
    }

    /**
     * Lists a directory or a single file.
     *
     * @return the exit code
     */
    private int list(Nfs3Client client, NfsUrl url) throws IOException, InterruptedException {
        try (var mount = NfsMount.of(client, url.path())) {
            var file = mount.resolve(url.path(), true);
            if (!file.attributes().isDirectory()) {
                if (url.isDirectory()) {
                    throw new NfsException("cannot list " + url, Status.NOTDIR);
                }
                var name = url.name().orElseThrow();
                return print(
                        mount, "", List.of(new NamedFile(name, file.handle(), file.attributes())));
            }
            var path = url.path().escaped();
            var names = new ArrayList<>(mount.list(file.handle(), path));
            if (!all) {
                names.removeIf(each -> TemporaryName.is(each.name()));
            }
            names.sort(Comparator.comparing(each -> RawText.of(each.name().bytes())));
            return print(mount, path + "/", names);
        }
    }

    private void printExports(List<ExportEntry> exports) {
        if (json) {
            print(Json.of(exports.stream().map(Ls::json).toList()) + "\n");
            return;
        }
        var lines = new StringBuilder();
        for (var each : exports) {
            lines.append(shown.of(each.path()));
            if (longForm && !each.groups().isEmpty()) {
                lines.append(' ').append(Printable.line(String.join(",", each.groups())));
            }
            lines.append('\n');
        }
        print(lines.toString());
    }

    private static Map<String, Object> json(ExportEntry export) {
        var json = new LinkedHashMap<String, Object>();
        json.put("export", RawText.of(export.path().bytes()));
        json.put("clients", export.groups());
        return json;
    }

    /**
     * Prints files.
     *
     * @param directory prefix that turns a name into a path
     * @return the exit code
     */
    private int print(NfsMount mount, String directory, List<NamedFile> names)
            throws IOException, InterruptedException {
        var links = new LinkTexts(spec.commandLine().getErr());
        var text = new StringBuilder(json ? "[" : "");
        var between = "";
        for (var each : names) {
            // Each link costs one call, so read it only if its target is shown.
            Optional<PathName> target =
                    json || longForm
                            ? links.of(mount, each, () -> directory + each.name().escaped())
                            : Optional.empty();
            if (json) {
                text.append(between);
                text.append(Json.of(FileLine.json(each.name(), each.attributes(), target)));
                between = ",";
            } else {
                appendLine(text, each, target);
            }
            // The whole output can be much longer than the names.
            if (text.length() > BUFFER_LENGTH) {
                print(text.toString());
                text.setLength(0);
            }
        }
        print(text.append(json ? "]\n" : "").toString());
        return links.failures() == 0 ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    private void appendLine(StringBuilder line, NamedFile file, Optional<PathName> target) {
        if (longForm) {
            long size = file.attributes().size();
            FileLine.append(
                    line,
                    file.attributes(),
                    wordsForSizes ? ByteCount.words(size) : Long.toUnsignedString(size));
        }
        line.append(shown.of(file.name()));
        target.ifPresent(text -> line.append(" -> ").append(shown.of(text)));
        line.append('\n');
    }

    private void print(String lines) {
        var out = spec.commandLine().getOut();
        out.print(lines);
        out.flush();
    }
}
