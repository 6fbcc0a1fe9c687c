package io.github.rpcrdma4j.cli.files;

import io.github.rpcrdma4j.cli.connect.Remote;
import io.github.rpcrdma4j.cli.files.Destination.End;
import io.github.rpcrdma4j.cli.files.Destination.Plan;
import io.github.rpcrdma4j.cli.files.Destination.Rules;
import io.github.rpcrdma4j.cli.files.Destination.Source;
import io.github.rpcrdma4j.cli.files.Destination.There;
import io.github.rpcrdma4j.cli.terminal.Progress;
import io.github.rpcrdma4j.cli.terminal.RawArguments;
import io.github.rpcrdma4j.cli.terminal.StandardStream;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.copy.Copier;
import io.github.rpcrdma4j.nfs.client.copy.CopyListener.Step;
import io.github.rpcrdma4j.nfs.client.copy.CopyRules;
import io.github.rpcrdma4j.nfs.client.copy.LocalPlace;
import io.github.rpcrdma4j.nfs.client.copy.TreeCopier;
import io.github.rpcrdma4j.nfs.client.local.LocalNames;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/**
 * Copies files to a server.
 *
 * <p>Tests: {@code CopyCommandsTest}, {@code CommandsTest}.
 */
@Command(
        name = "put",
        description = {
            "Copy files, or with -r trees, to a server.",
            "A pipe, a device or - (standard input) is read to its end. A file that cannot be",
            "copied is reported; the others are still copied. A SOURCE that is a link is",
            "followed."
        },
        footer = {
            "",
            "Example: rpcrdma put -a directory rdma://server/export",
            "Again, only what has changed: rpcrdma sync directory rdma://server/export/directory",
            "From a pipe: tar c . | rpcrdma put - rdma://server/export/all.tar"
        })
public final class Put implements Callable<Integer> {
    private static final Set<String> STANDARD_INPUTS =
            Set.of("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0");

    @Parameters(
            arity = "2..*",
            paramLabel = "SOURCE... URL",
            hideParamSyntax = true,
            description =
                    "Local files or directories, then rdma://host[:port]/export/path or nfs://. - is standard"
                            + " input. An existing directory receives each SOURCE under its own"
                            + " name, or what is in it if it ends with /. ; several need one.")
    private List<String> arguments;

    @Mixin private final CopyOptions options = new CopyOptions();
    @Mixin private final Selection selection = new Selection();
    @Mixin private final Transfer transfer = new Transfer();
    @Mixin private final Remote remote = new Remote();
    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    private CopyRules rules;
    private SeveralSources copied;

    @Override
    public Integer call() throws Exception {
        var sources = arguments.subList(0, arguments.size() - 1);
        var url = arguments.getLast();
        if (NfsUrl.isUrl(sources.getFirst()) && !NfsUrl.isUrl(url)) {
            throw new IllegalArgumentException("put copies to a server; use get to copy from one");
        }
        if (NfsUrl.isUrl(sources.getFirst())) {
            throw new IllegalArgumentException(
                    "put copies from this machine: use cp within a server, and get and put between"
                            + " two");
        }
        var parsed = NfsUrl.parse(url);
        selection.readList(sources.size(), options.isRecursiveItself());
        rules = selection.rules();
        for (var source : sources) {
            if (source.isEmpty()) {
                throw new IllegalArgumentException("the SOURCE is an empty name");
            }
            if (sources.size() == 1 && !isStandardInput(source)) {
                requireThere(source);
            }
        }
        copied = new SeveralSources(names(sources), sources.size());
        // With a closed standard input, Java would read a file of its own.
        var input = sources.stream().anyMatch(Put::isStandardInput) ? StandardStream.input() : null;
        return transfer.run(
                "put",
                remote,
                options.kept(),
                selection.mode(),
                Progress.of("put", Progress.Unit.BYTES, spec.commandLine().getErr()),
                copies -> {
                    var mount = copies.mount(parsed);
                    var copier = copies.copier(parsed);
                    if (sources.size() > 1) {
                        requireDirectory(mount, parsed);
                    }
                    copies.each(
                            sources,
                            source -> {
                                if (isStandardInput(source)) {
                                    stream(input, mount, copier, parsed);
                                } else {
                                    copy(source, mount, copier, parsed);
                                }
                            });
                    selection.reportMissing(copies, sources.getFirst());
                });
    }

    /** Returns the names under which a directory receives sources. */
    private List<FileName> names(List<String> sources) {
        return sources.stream()
                .filter(each -> end(each) != End.DOTS)
                .map(each -> LocalNames.of(RawArguments.path(each).getFileName()))
                .toList();
    }

    private End end(String source) {
        return selection.hasList() ? End.DOTS : End.of(source);
    }

    private static boolean isStandardInput(String source) {
        return STANDARD_INPUTS.contains(source);
    }

    private static void requireDirectory(NfsMount mount, NfsUrl url)
            throws IOException, InterruptedException {
        var found = mount.target(url.path()).file();
        if (found.isEmpty() || !found.get().attributes().isDirectory()) {
            throw new IOException(url + ": not a directory, but there are several sources");
        }
    }

    /** Checks that a source can be read, and returns its path. */
    private Path requireThere(String source) throws IOException {
        var local = RawArguments.path(source);
        boolean follows = !options.keepsLinks() || source.endsWith("/") || selection.hasList();
        if (follows && source.endsWith("/") && Files.exists(local) && !Files.isDirectory(local)) {
            throw new IOException("cannot read " + source + ": not a directory");
        }
        // The exception of these calls tells why the source cannot be read.
        if (follows) {
            local.getFileSystem().provider().checkAccess(local);
        } else {
            Files.readAttributes(local, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        }
        if (selection.hasList() && !Files.isDirectory(local)) {
            throw new IOException(source + ": not a directory, but --files-from names files in it");
        }
        if (Files.isDirectory(local) && !options.isRecursive() && !selection.hasList()) {
            throw new IOException(source + " is a directory: copy it with -r");
        }
        return local;
    }

    private void stream(FileChannel input, NfsMount mount, Copier copier, NfsUrl url)
            throws IOException, InterruptedException {
        var target = mount.target(url.path());
        boolean isDirectory =
                target.file().isPresent() && target.file().get().attributes().isDirectory();
        if (isDirectory || url.isDirectory()) {
            throw new IOException(
                    "cannot write "
                            + url.path().escaped()
                            + ": standard input has no name, give one");
        }
        if (rules.isTrial()) {
            transfer.plan(Step.COPY, url.path().escaped(), 0);
            return;
        }
        copier.sweep(target.place().orElseThrow().directory());
        try {
            copier.put(input, target.place().orElseThrow(), url.path().escaped());
        } catch (IOException failure) {
            // The system's message names no file: "Is a directory", "Bad file descriptor".
            if (failure.getClass() == IOException.class
                    && !failure.getMessage().startsWith("cannot ")) {
                throw new IOException(
                        "cannot read standard input: " + failure.getMessage(), failure);
            }
            throw failure;
        }
    }

    private void copy(String source, NfsMount mount, Copier copier, NfsUrl url)
            throws IOException, InterruptedException {
        var local = requireThere(source);
        if (!options.isRecursive() && !selection.hasList() && !Files.isRegularFile(local)) {
            stream(source, local, mount, copier, url);
            return;
        }
        // From here on the name that the user gave is not used: another process may exchange it.
        boolean follows = !options.keepsLinks() || source.endsWith("/") || end(source) != End.NAME;
        var what = "cannot read " + source;
        try (var opened = follows ? LocalPlace.follow(local, what) : LocalPlace.open(local, what)) {
            boolean directory = opened.type(what).filter(FileType.DIRECTORY::equals).isPresent();
            selection.findListed(opened, source);
            var target = target(source, local, mount, url, directory);
            if (!rules.isTrial()) {
                copier.sweep(target.place.directory());
            }
            if (options.isRecursive() || selection.hasList() || rules.isTrial()) {
                new TreeCopier(copier, rules, copied.tree(target.place.name()))
                        .put(opened, source, target.place, target.shown);
                return;
            }
            copied.files().requireNew(source, target.shown);
            if (target.found.isPresent()) {
                var replaced = target.found.get().file();
                copier.put(opened, source, target.place, replaced, target.shown);
            } else {
                copier.put(opened, source, target.place, target.shown);
            }
            copied.files().add(target.shown);
        }
    }

    /** Copies a pipe or device to its end. */
    private void stream(String source, Path local, NfsMount mount, Copier copier, NfsUrl url)
            throws IOException, InterruptedException {
        var target = target(source, local, mount, url, false);
        if (!rules.isTrial()) {
            copier.sweep(target.place.directory());
        }
        copied.files().requireNew(source, target.shown);
        if (rules.isTrial()) {
            transfer.plan(Step.COPY, target.shown, 0);
        } else {
            try (var input = FileChannel.open(local, StandardOpenOption.READ)) {
                copier.put(input, target.place, target.shown);
            }
        }
        copied.files().add(target.shown);
    }

    /**
     * Where a source goes.
     *
     * @param found what the path of the user leads to, if the source goes there itself
     */
    private record Target(RemotePlace place, String shown, Optional<NfsMount.Target> found) {}

    /** Resolves the target. An existing directory receives the source under its own name. */
    private Target target(String source, Path local, NfsMount mount, NfsUrl url, boolean directory)
            throws IOException, InterruptedException {
        var found = mount.target(url.path());
        var there =
                found.file()
                        .map(each -> each.attributes().isDirectory() ? There.DIRECTORY : There.FILE)
                        .orElse(There.NOTHING);
        var plan =
                Destination.of(
                        Rules.CP,
                        end(source),
                        directory ? Source.DIRECTORY : Source.FILE,
                        there,
                        url.isDirectory());
        Destination.require(plan, source, url.toString());
        if (there == There.NOTHING && !found.isDirect() && mount.find(url.path()).isPresent()) {
            throw new IOException(
                    "cannot write " + url + ": it is a link to a file that is not there");
        }
        if (plan == Plan.RECEIVES) {
            var own = LocalNames.of(local.getFileName());
            return new Target(
                    new RemotePlace(found.file().orElseThrow().handle(), own),
                    url.path().resolve(own).escaped(),
                    Optional.empty());
        }
        // The root of an export lies in no directory of it.
        var place =
                found.place()
                        .orElseGet(
                                () ->
                                        new RemotePlace(
                                                found.file().orElseThrow().handle(),
                                                FileName.SELF));
        return new Target(place, url.path().escaped(), Optional.of(found));
    }
}
