package io.github.rpcrdma4j.cli.files;

import io.github.rpcrdma4j.cli.connect.Remote;
import io.github.rpcrdma4j.cli.connect.UrlPattern;
import io.github.rpcrdma4j.cli.files.Destination.End;
import io.github.rpcrdma4j.cli.files.Destination.Plan;
import io.github.rpcrdma4j.cli.files.Destination.Rules;
import io.github.rpcrdma4j.cli.files.Destination.Source;
import io.github.rpcrdma4j.cli.files.Destination.There;
import io.github.rpcrdma4j.cli.terminal.Progress;
import io.github.rpcrdma4j.cli.terminal.RawArguments;
import io.github.rpcrdma4j.cli.terminal.StandardStream;
import io.github.rpcrdma4j.cli.terminal.Terminal;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.copy.Copier;
import io.github.rpcrdma4j.nfs.client.copy.CopyRules;
import io.github.rpcrdma4j.nfs.client.copy.LocalPlace;
import io.github.rpcrdma4j.nfs.client.copy.TreeCopier;
import io.github.rpcrdma4j.nfs.client.local.LocalException;
import io.github.rpcrdma4j.nfs.client.local.LocalException.Reason;
import io.github.rpcrdma4j.nfs.client.local.LocalNames;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/**
 * Copies files from a server.
 *
 * <p>Tests: {@code CopyCommandsTest}, {@code CommandsTest}.
 */
@Command(
        name = "get",
        description = {
            "Copy files, or with -r trees, from a server.",
            "A file that cannot be copied is reported; the others are still copied."
        },
        footer = {
            "",
            "Example: rpcrdma get -r rdma://server/export/directory .",
            "Several files: rpcrdma get 'rdma://server/export/*.jpg' .",
            "Into a pipe: rpcrdma get rdma://server/export/all.tar - | tar x"
        })
public final class Get implements Callable<Integer> {
    @Parameters(
            arity = "1..*",
            paramLabel = "URL... TARGET",
            hideParamSyntax = true,
            description =
                    "Sources, rdma://host[:port]/export/path or nfs://, then a local file or directory"
                            + " (without one: this directory). - is standard output. Several"
                            + " sources need a directory.")
    private List<String> arguments;

    @Mixin private final CopyOptions options = new CopyOptions();
    @Mixin private final Selection selection = new Selection();
    @Mixin private final Transfer transfer = new Transfer();
    @Mixin private final Remote remote = new Remote();
    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    /** Where the user wants the copies. */
    private String target = ".";

    /** What the user wants to be copied. */
    private List<UrlPattern> patterns;

    private CopyRules rules;
    private SeveralSources copied;

    @Override
    public Integer call() throws Exception {
        var urls = arguments;
        if (arguments.size() > 1) {
            target = arguments.getLast();
            urls = arguments.subList(0, arguments.size() - 1);
        }
        patterns = urls.stream().map(UrlPattern::parse).toList();
        selection.readList(urls.size(), options.isRecursiveItself());
        rules = selection.rules();
        if (target.isEmpty()) {
            throw new IllegalArgumentException("the TARGET is an empty name");
        }
        if (NfsUrl.isUrl(target)) {
            throw new IllegalArgumentException(
                    "get copies from a server to this machine: name a local file or directory, not "
                            + target);
        }
        var stream = StandardStream.of(target);
        if (stream.isPresent() && selection.hasList()) {
            throw new IllegalArgumentException("--files-from needs a directory as its target");
        }
        if (stream.isPresent() && (transfer.output().isJson() || rules.isTrial())) {
            throw new IllegalArgumentException(
                    "--json and --dry-run print to standard output, which is the target");
        }
        requireRoom(patterns.size(), stream);
        var err = spec.commandLine().getErr();
        return transfer.run(
                "get",
                remote,
                options.kept(),
                selection.mode(),
                // A bar would overwrite the output that shares its terminal.
                stream.isPresent() && Terminal.isOutput()
                        ? Progress.withoutBar(err)
                        : Progress.of("get", Progress.Unit.BYTES, err),
                copies -> {
                    var parsed = copies.matching(patterns);
                    requireRoom(parsed.size(), stream);
                    selection.requireOneSource(parsed.size());
                    var names =
                            parsed.stream()
                                    .filter(each -> end(each) != End.DOTS)
                                    .map(Get::name)
                                    .toList();
                    copied = new SeveralSources(names, parsed.size());
                    copies.each(
                            parsed,
                            url -> copy(copies.mount(url), copies.copier(url), url, stream));
                    parsed.forEach(each -> selection.reportMissing(copies, each.toString()));
                });
    }

    /** Requires a directory for several sources. */
    private void requireRoom(int sources, Optional<OutputStream> stream) throws IOException {
        if (sources > 1 && (stream.isPresent() || !Files.isDirectory(RawArguments.path(target)))) {
            throw new IOException(target + ": not a directory, but there are several sources");
        }
    }

    private void copy(NfsMount mount, Copier copier, NfsUrl url, Optional<OutputStream> stream)
            throws IOException, InterruptedException {
        var name = url.path().escaped();
        boolean follows = !options.keepsLinks() || url.isDirectory() || selection.hasList();
        var source = FilesCommand.resolve(mount, url, follows, "cannot read");
        boolean directory = source.attributes().isDirectory();
        if (selection.hasList() && !directory) {
            throw new IOException(name + ": not a directory, but --files-from names files in it");
        }
        if (directory && !options.isRecursive() && !selection.hasList()) {
            throw new IOException(name + " is a directory: copy it with -r");
        }
        if (stream.isPresent()) {
            if (directory) {
                throw new IOException(name + " is a directory: " + target + " takes a file");
            }
            copier.stream(source, name, stream.get());
            return;
        }
        selection.findListed(mount, source, remote.options().files());
        var local = RawArguments.path(target);
        // From here on the name that the user gave is not used: another process may exchange it.
        try (var opened = LocalPlace.openDirectory(local, "cannot write " + target)) {
            var there =
                    opened.isOpenDirectory()
                            ? There.DIRECTORY
                            : Files.exists(local) ? There.FILE : There.NOTHING;
            var plan =
                    Destination.of(
                            Rules.CP,
                            end(url),
                            directory ? Source.DIRECTORY : Source.FILE,
                            there,
                            target.endsWith("/"));
            Destination.require(plan, url.toString(), target);
            if (plan == Plan.RECEIVES) {
                var own = name(url);
                var inside = local.resolve(LocalNames.path(own.bytes()));
                into(copier, source, name, new NamedPlace(opened.child(own), inside), isNamed(url));
            } else {
                var shown = there == There.DIRECTORY ? opened.directory() : local;
                into(copier, source, name, new NamedPlace(opened, shown), true);
            }
        }
    }

    private End end(NfsUrl url) {
        if (selection.hasList()) {
            return End.DOTS;
        }
        return End.of(url.path().escaped() + (url.isDirectory() ? "/" : ""));
    }

    /** Returns whether the user gave the name of a file; otherwise the server did, by a pattern. */
    private boolean isNamed(NfsUrl url) {
        return patterns.stream().anyMatch(each -> each.url().equals(url));
    }

    private static FileName name(NfsUrl url) {
        return url.name().orElseThrow();
    }

    /**
     * Copies a source to its place.
     *
     * @param isNamed whether the user gave the name of the place, and means what it leads to
     */
    private void into(
            Copier copier, RemoteFile source, String name, NamedPlace place, boolean isNamed)
            throws IOException, InterruptedException {
        if (rules.isTrial()) {
            tree(copier, place).get(source, name, place.opened(), place.text());
            return;
        }
        copier.sweep(place.opened());
        if (source.attributes().type() != FileType.REGULAR) {
            if (!options.isRecursive() && !source.attributes().isDirectory()) {
                throw new IOException(
                        "cannot read " + name + ": it is no regular file, copy it with -r");
            }
            tree(copier, place).get(source, name, place.opened(), place.text());
            return;
        }
        var what = "cannot write " + place.text();
        if (!isNamed) {
            write(copier, source, name, place);
        } else if (isStream(place.shown())) {
            // Without CREATE and TRUNCATE_EXISTING: a file in its place would keep its contents.
            var stream = Files.newOutputStream(place.shown(), StandardOpenOption.WRITE);
            try (var out = new NamedOutput(stream, target)) {
                copier.stream(source, name, out);
            }
        } else if (place.opened().isLink(what)) {
            // As with cp, an existing link stays, and the file that it leads to is replaced.
            try (var led = led(place, what)) {
                write(copier, source, name, new NamedPlace(led, place.shown()));
            }
        } else {
            write(copier, source, name, place);
        }
    }

    private LocalPlace led(NamedPlace place, String what) throws IOException {
        try {
            return place.opened().target(what);
        } catch (LocalException failure) {
            if (failure.reason() == Reason.MISSING) {
                throw new IOException(
                        "cannot write " + target + ": it is a link to a file that is not there",
                        failure);
            }
            throw failure;
        }
    }

    private void write(Copier copier, RemoteFile source, String name, NamedPlace place)
            throws IOException, InterruptedException {
        copied.files().requireNew(name, place.text());
        copied.files().requireNew(name, place.known());
        copier.get(source, name, place.opened(), place.text());
        copied.files().add(place.text());
        copied.files().add(place.known());
    }

    private TreeCopier tree(Copier copier, NamedPlace place) {
        // The root of the file system has no name.
        var last = place.shown().getFileName();
        var name = last == null ? FileName.SELF : LocalNames.of(last);
        return new TreeCopier(copier, rules, copied.tree(name));
    }

    /** A pipe or device; messages of failed writes contain its name. */
    private static final class NamedOutput extends FilterOutputStream {
        private final String name;

        NamedOutput(OutputStream out, String name) {
            super(out);
            this.name = name;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            try {
                out.write(bytes, offset, length);
            } catch (IOException failure) {
                throw new IOException(
                        "cannot write " + name + ": " + failure.getMessage(), failure);
            }
        }
    }

    /**
     * Returns whether the target is written in place rather than replaced: a pipe, a terminal, the
     * null device.
     */
    private static boolean isStream(Path local) {
        return Files.exists(local) && !Files.isRegularFile(local) && !Files.isDirectory(local);
    }
}
