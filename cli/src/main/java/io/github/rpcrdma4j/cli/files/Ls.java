package io.github.rpcrdma4j.cli.files;

import io.github.rpcrdma4j.cli.connect.Mounts;
import io.github.rpcrdma4j.cli.terminal.ByteCount;
import io.github.rpcrdma4j.cli.terminal.Colors;
import io.github.rpcrdma4j.cli.terminal.FileLine;
import io.github.rpcrdma4j.cli.terminal.Printable;
import io.github.rpcrdma4j.cli.terminal.Terminal;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.RawText;
import io.github.rpcrdma4j.nfs.client.TreeWalk;
import io.github.rpcrdma4j.nfs.client.TreeWalk.Visit;
import io.github.rpcrdma4j.nfs.client.copy.TemporaryName;
import io.github.rpcrdma4j.nfs.client.service.DirectoryPage.Wanted;
import io.github.rpcrdma4j.nfs.client.service.Export;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.NameMemory;
import io.github.rpcrdma4j.nfs.client.service.NamedFile;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Lists directories, single files, or the exports of a server.
 *
 * <p>Tests: {@code FileCommandsTest}, {@code CommandsTest}.
 */
@Command(
        name = "ls",
        description = {
            "List a directory on a server; of a server alone, what it exports.",
            "On a terminal names have colours, unless NO_COLOR is set, and are quoted as",
            "a shell wants them. Elsewhere they are their bytes. With -l a URL of a link",
            "shows the link, unless it ends with a slash."
        },
        footer = {
            "",
            "Example: rpcrdma ls -l rdma://server/export/directory",
            "Exports: rpcrdma ls rdma://server/"
        })
public final class Ls extends FilesCommand {
    private static final PathName TOP = PathName.of("/");
    private static final Comparator<FileName> BY_NAME =
            Comparator.comparing(each -> RawText.of(each.bytes()));
    private static final Comparator<NamedFile> FILES_BY_NAME =
            Comparator.comparing(NamedFile::name, BY_NAME);
    private static final Comparator<NamedFile> BY_TIME =
            Comparator.<NamedFile, Instant>comparing(each -> each.attributes().modified())
                    .reversed()
                    .thenComparing(FILES_BY_NAME);

    private static final Comparator<NamedFile> BY_SIZE =
            ((Comparator<NamedFile>)
                            (one, other) ->
                                    Long.compareUnsigned(
                                            one.attributes().size(), other.attributes().size()))
                    .reversed()
                    .thenComparing(FILES_BY_NAME);

    @Option(names = "-l", description = "Show mode, owner, size, time, and the targets of links.")
    private boolean longForm;

    @Option(names = "-h", description = "With -l, show sizes with units, such as 1.5M.")
    private boolean unitsForSizes;

    @Option(
            names = {"-d", "--directory"},
            description = "Show a directory itself, not what is in it.")
    private boolean itself;

    @Option(names = "-1", description = "Print one name on each line, as always.")
    private boolean oneNameALine;

    @Option(
            names = {"-a", "-A"},
            description = "Also show incomplete copies.")
    private boolean all;

    @Option(names = "-t", description = "Sort by time, the newest first.")
    private boolean byTime;

    @Option(names = "-S", description = "Sort by size, the largest first.")
    private boolean bySize;

    @Option(names = "-r", description = "Sort the other way round.")
    private boolean reversed;

    @Option(
            names = {"-R", "--recursive"},
            description = "Also list all directories below.")
    private boolean recursive;

    @Parameters(
            arity = "1..*",
            paramLabel = "URL",
            description = "rdma://host[:port]/export/path, or nfs:// over TCP")
    private List<String> urls;

    private final Colors colors = Colors.of(Terminal.isOutput(), System.getenv());
    private boolean hasPrinted;

    /** Whether the user gave several files, or a pattern of several. */
    private boolean areSeveral;

    @Override
    List<String> urls() {
        return urls;
    }

    @Override
    void matched(List<NfsUrl> matches) {
        areSeveral = urls.size() > 1 || matches.size() > 1;
    }

    @Override
    void run(Mounts mounts, NfsUrl url) throws IOException, InterruptedException {
        if (!url.path().equals(TOP)) {
            run(mounts.of(url), url);
            return;
        }
        try (var service = remote.service(url)) {
            var exports = service.exports();
            // Only an export named "/" can be listed by this path.
            if (exports.stream().noneMatch(each -> each.path().equals(TOP))) {
                exports.forEach(this::add);
            } else {
                run(NfsMount.of(service, TOP), url);
            }
        }
    }

    private void add(Export export) {
        if (output.isJson()) {
            var json = new LinkedHashMap<String, Object>();
            json.put("export", RawText.of(export.path().bytes()));
            json.put("clients", export.clients());
            output.element(json);
            return;
        }
        var clients =
                longForm && !export.clients().isEmpty()
                        ? " " + Printable.line(String.join(",", export.clients()))
                        : "";
        output.line(output.names().of(export.path()) + clients);
    }

    @Override
    void run(NfsMount mount, NfsUrl url) throws IOException, InterruptedException {
        var file = file(mount, url);
        var path = url.path();
        if (itself || !file.attributes().isDirectory()) {
            var name = url.name().orElse(FileName.SELF);
            var listed = new NamedFile(name, file.handle(), file.attributes());
            print(mount, Optional.empty(), List.of(listed), _ -> path.escaped());
        } else if (recursive) {
            TreeWalk.walk(mount, remote.options(), file, path, new Directories(mount));
        } else {
            list(mount, file.handle(), path);
        }
    }

    private void list(NfsMount mount, FileHandle directory, PathName path)
            throws IOException, InterruptedException {
        var shown = path.escaped();
        var heading = areSeveral ? Optional.of(path) : Optional.<PathName>empty();
        try (var memory = new NameMemory().share()) {
            if (showsNamesAlone()) {
                var names = mount.names(directory, shown, memory);
                head(heading);
                shown(names, Function.identity(), BY_NAME)
                        .forEach(each -> output.line(output.names().of(each)));
            } else {
                var listed = mount.list(directory, wanted(), shown, memory);
                print(mount, heading, listed, each -> shown + "/" + each.name().escaped());
            }
        }
    }

    private boolean showsNamesAlone() {
        return !(longForm || byTime || bySize || colors.areOn() || output.isJson());
    }

    private Wanted wanted() {
        return output.isJson() ? Wanted.ALL : Wanted.LINES;
    }

    /**
     * Returns what a URL names. As with ls, a link is shown itself with -l, or if it leads nowhere.
     */
    private RemoteFile file(NfsMount mount, NfsUrl url) throws IOException, InterruptedException {
        try {
            return resolve(mount, url, !longForm && !itself, "cannot list");
        } catch (RpcException ofAll) {
            throw ofAll;
        } catch (IOException leadsNowhere) {
            var link = url.isDirectory() ? Optional.<RemoteFile>empty() : mount.find(url.path());
            return link.filter(each -> each.attributes().type() == FileType.SYMBOLIC_LINK)
                    .orElseThrow(() -> leadsNowhere);
        }
    }

    /** Lists each directory of a walk. */
    private final class Directories implements TreeWalk.Visitor {
        private final NfsMount mount;

        Directories(NfsMount mount) {
            this.mount = mount;
        }

        @Override
        public Wanted wanted() {
            return Ls.this.wanted();
        }

        @Override
        public boolean enters(Visit directory) {
            // It was reported with the other entries of its directory.
            return directory.file().refusal().isEmpty();
        }

        @Override
        public void visit(Visit file) {
            // It was printed with the other entries of its directory.
        }

        @Override
        public void listed(Visit directory, List<NamedFile> entries)
                throws IOException, InterruptedException {
            print(
                    mount,
                    Optional.of(directory.path()),
                    entries,
                    each -> directory.shown() + "/" + each.name().escaped());
        }

        @Override
        public void failed(Visit directory, IOException why) {
            output.failed(why);
        }
    }

    /**
     * Prints files.
     *
     * @param directory that is named above them, if several are listed
     * @param path returns the path of a file, for messages
     */
    private void print(
            NfsMount mount,
            Optional<PathName> directory,
            List<NamedFile> files,
            Function<NamedFile, String> path)
            throws IOException, InterruptedException {
        head(directory);
        var links = new LinkTexts(output);
        boolean showsMore = longForm || byTime || bySize || recursive || output.isJson();
        for (var each : shown(files, NamedFile::name, order())) {
            if (each.refusal().isPresent() && showsMore) {
                output.failed(
                        new NfsException(
                                "cannot access " + path.apply(each), each.refusal().get()));
            }
            // Each link costs one call, so read it only if its target is shown.
            Optional<PathName> target =
                    output.isJson() || longForm
                            ? links.of(mount, each, () -> path.apply(each))
                            : Optional.empty();
            if (output.isJson()) {
                output.element(json(directory, each, target));
            } else {
                output.text(line(each, target));
            }
        }
    }

    /** Prints the path of a directory, if several are listed. */
    private void head(Optional<PathName> directory) {
        if (directory.isPresent() && !output.isJson()) {
            output.line((hasPrinted ? "\n" : "") + output.names().of(directory.get()) + ":");
        }
        hasPrinted = true;
    }

    /** Returns the files to be shown, in order. */
    private <F> List<F> shown(List<F> files, Function<F, FileName> name, Comparator<F> order) {
        return files.stream()
                .filter(each -> all || !TemporaryName.is(name.apply(each)))
                .sorted(reversed ? order.reversed() : order)
                .toList();
    }

    private Comparator<NamedFile> order() {
        if (bySize) {
            return BY_SIZE;
        }
        return byTime ? BY_TIME : FILES_BY_NAME;
    }

    private static Map<String, Object> json(
            Optional<PathName> directory, NamedFile file, Optional<PathName> target) {
        var json = FileLine.json(RawText.of(file.name().bytes()), file, target);
        directory.ifPresent(path -> json.put("directory", RawText.of(path.bytes())));
        return json;
    }

    private StringBuilder line(NamedFile file, Optional<PathName> target) {
        var line = new StringBuilder();
        if (longForm && file.refusal().isPresent()) {
            FileLine.appendUnknown(line);
        } else if (longForm) {
            var size = FileLine.unsigned(file.attributes().size());
            FileLine.append(
                    line,
                    file.attributes(),
                    unitsForSizes ? ByteCount.column(size) : size.toString());
        }
        var name = output.names().of(file.name());
        line.append(file.refusal().isPresent() ? name : colors.of(file.attributes(), name));
        target.ifPresent(text -> line.append(" -> ").append(output.names().of(text)));
        return line.append('\n');
    }
}
