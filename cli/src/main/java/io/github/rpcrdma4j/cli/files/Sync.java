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
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.Umask;
import io.github.rpcrdma4j.nfs.client.copy.CopyListener.Step;
import io.github.rpcrdma4j.nfs.client.copy.CopyRules;
import io.github.rpcrdma4j.nfs.client.copy.CopyRules.Comparison;
import io.github.rpcrdma4j.nfs.client.copy.LocalPlace;
import io.github.rpcrdma4j.nfs.client.copy.PreservedAttributes;
import io.github.rpcrdma4j.nfs.client.copy.TreeCopier;
import io.github.rpcrdma4j.nfs.client.local.LocalNames;
import io.github.rpcrdma4j.nfs.client.service.NameMemory;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Copies what has changed between this machine and a server, as {@code rsync -a} does. */
@Command(
        name = "sync",
        description = {
            "Copy what has changed from SOURCE to TARGET; one is on a server.",
            "As with rsync, a directory SOURCE goes into the directory TARGET, under its own",
            "name. With a slash at its end, what is in it goes into TARGET. Files of the same",
            "size and modification time are not copied again, unless they are of other",
            "users. Modes, times, access control lists and extended attributes are kept, and",
            "the owner if permitted. Links stay links. Files that SOURCE does not have stay,",
            "unless --delete removes them: try it with --dry-run first."
        },
        footer = {
            "",
            "Example: rpcrdma sync photos rdma://server/export",
            "The same: rpcrdma sync photos/ rdma://server/export/photos",
            "Tried: rpcrdma sync -n --delete rdma://server/export/photos ."
        })
public final class Sync implements Callable<Integer> {
    private static final int PERMISSIONS = 0777;

    @Parameters(
            index = "0",
            paramLabel = "SOURCE",
            description =
                    "A local file or directory, or rdma://host[:port]/export/path, or nfs://.")
    private String source;

    @Parameters(
            index = "1",
            paramLabel = "TARGET",
            description = "The other one. It is made if it does not exist.")
    private String target;

    @Option(
            names = {"-a", "--archive"},
            description = "No effect: sync always keeps attributes, as rsync -a does.")
    private boolean archive;

    @Option(
            names = {"-r", "--recursive"},
            description =
                    "With --files-from, copy all below listed directories. Without it, sync always"
                            + " copies all that is below.")
    private boolean recursive;

    @Option(
            names = {"-c", "--checksum"},
            description = "Compare contents, which are read on both sides, in place of times.")
    private boolean byContents;

    @Mixin private final Removal removal = new Removal();
    @Mixin private final Selection selection = new Selection();
    @Mixin private final Transfer transfer = new Transfer();
    @Mixin private final Remote remote = new Remote();
    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    private CopyRules rules;
    private Progress progress;

    @Override
    public Integer call() throws Exception {
        if (source.isEmpty() || target.isEmpty()) {
            throw new IllegalArgumentException("SOURCE and TARGET are not empty names");
        }
        boolean isPut = NfsUrl.isUrl(target);
        if (isPut == NfsUrl.isUrl(source)) {
            throw new IllegalArgumentException(
                    "one of SOURCE and TARGET is a URL, and the other a local file or directory");
        }
        var pattern = isPut ? UrlPattern.of(NfsUrl.parse(target)) : UrlPattern.parse(source);
        var comparison = byContents ? Comparison.CONTENTS : Comparison.SIZE_AND_TIME;
        selection.readList(1, recursive);
        rules = selection.rules(comparison, removal.deletion());
        if (isPut) {
            // The exception tells why the source cannot be read.
            requireThere();
        }
        progress = Progress.of("sync", Progress.Unit.BYTES, spec.commandLine().getErr());
        return transfer.run(
                "sync",
                remote,
                PreservedAttributes.ATTRIBUTES,
                selection.mode(),
                progress,
                copies -> {
                    if (isPut) {
                        copies.each(List.of(source), _ -> put(copies, pattern.url()));
                    } else {
                        var urls = copies.matching(List.of(pattern));
                        removal.requireOneSource(urls.size());
                        selection.requireOneSource(urls.size());
                        requireApart(urls);
                        copies.each(urls, url -> get(copies, url));
                    }
                    selection.reportMissing(copies, source);
                });
    }

    /**
     * Requires a directory in which each of several sources has a name of its own. Otherwise one
     * would replace, or with {@code --delete} remove, what another one has brought.
     */
    private void requireApart(List<NfsUrl> urls) throws IOException {
        if (urls.size() < 2) {
            return;
        }
        if (!Files.isDirectory(RawArguments.path(target))) {
            throw new IOException(target + ": not a directory, but there are several sources");
        }
        var names = new HashSet<FileName>();
        for (var url : urls) {
            if (end(url) != End.NAME) {
                throw new IOException(
                        source + " matches several directories: their files would be mixed");
            }
            if (!names.add(url.name().orElseThrow())) {
                throw new IOException(url + ": another source has the same name");
            }
        }
    }

    private static End end(NfsUrl url) {
        return End.of(url.path().escaped() + (url.isDirectory() ? "/" : ""));
    }

    /** Returns how a source is written. Listed files do not get its name. */
    private End end(String path) {
        return selection.hasList() ? End.SLASH : End.of(path);
    }

    private void requireThere() throws IOException {
        var local = RawArguments.path(source);
        var options =
                end(source) == End.NAME
                        ? new LinkOption[] {LinkOption.NOFOLLOW_LINKS}
                        : new LinkOption[0];
        var attributes = Files.readAttributes(local, BasicFileAttributes.class, options);
        if (attributes.isDirectory()) {
            Files.newDirectoryStream(local).close();
        }
    }

    /** Opens the local source. A link is followed if a slash or dots are behind its name. */
    private LocalPlace openSource() throws IOException {
        var local = RawArguments.path(source);
        var what = "cannot read " + source;
        return end(source) == End.NAME
                ? LocalPlace.open(local, what)
                : LocalPlace.follow(local, what);
    }

    private Source type(LocalPlace opened) throws IOException {
        var type = opened.type("cannot read " + source);
        if (type.isEmpty()) {
            throw new NoSuchFileException(source);
        }
        if (type.get() != FileType.DIRECTORY) {
            return Source.FILE;
        }
        boolean isEmpty = opened.isEmpty("cannot list " + source);
        return isEmpty ? Source.EMPTY_DIRECTORY : Source.DIRECTORY;
    }

    /**
     * Returns the rules for the files of a source that goes into its target under its own name.
     * Patterns with a slash at their start then begin with that name.
     */
    private CopyRules below(FileName name) {
        var filter = rules.filter();
        if (filter == CopyRules.ALL) {
            return rules;
        }
        var top = new PathName(name.bytes());
        return rules.withFilter((path, type) -> filter.wants(top.resolve(path.names()), type));
    }

    /** Returns whether the source itself is left out. */
    private boolean isExcluded(FileName name, FileType type) {
        return !rules.filter().wants(new PathName(name.bytes()), type);
    }

    private void put(Copies copies, NfsUrl url) throws IOException, InterruptedException {
        try (var opened = openSource()) {
            put(copies, url, opened);
        }
    }

    private void put(Copies copies, NfsUrl url, LocalPlace tree)
            throws IOException, InterruptedException {
        var mount = copies.mount(url);
        var type = type(tree);
        selection.findListed(tree, source);
        var found = mount.target(url.path());
        var there =
                found.file()
                        .map(each -> each.attributes().isDirectory() ? There.DIRECTORY : There.FILE)
                        .orElse(There.NOTHING);
        var end = end(source);
        var plan = Destination.of(Rules.RSYNC, end, type, there, url.isDirectory());
        Destination.require(plan, source, url.toString());
        var used = rules;
        var name = FileName.SELF;
        if (end == End.NAME) {
            name = LocalNames.of(RawArguments.path(source).getFileName());
            used = below(name);
            if (isExcluded(name, type == Source.FILE ? FileType.REGULAR : FileType.DIRECTORY)) {
                return;
            }
        }
        boolean isLeft =
                there == There.NOTHING
                        && (type != Source.FILE || plan == Plan.IS_MADE)
                        && mount.find(url.path()).isPresent();
        if (isLeft) {
            throw new IOException(
                    "cannot write " + url + ": it is a link to a directory that is not there");
        }
        var shown = url.path().escaped();
        switch (plan) {
            case RECEIVES -> {
                var directory = found.file().orElseThrow().handle();
                var inside = url.path().resolve(name).escaped();
                put(copies, url, used, tree, new RemotePlace(directory, name), inside);
            }
            case IS_MADE -> {
                var inside = url.path().resolve(name).escaped();
                put(copies, url, used, tree, made(mount, url, name), inside);
            }
            default -> {
                // As with rsync, a file replaces a link. The root of an export lies in no
                // directory.
                var place =
                        type == Source.FILE
                                ? mount.place(url.path())
                                : found.place()
                                        .orElseGet(
                                                () ->
                                                        new RemotePlace(
                                                                found.file().orElseThrow().handle(),
                                                                FileName.SELF));
                put(copies, url, used, tree, place, shown);
            }
        }
    }

    private void put(
            Copies copies,
            NfsUrl url,
            CopyRules used,
            LocalPlace tree,
            RemotePlace place,
            String shown)
            throws IOException, InterruptedException {
        removal.run(
                copies,
                url,
                used,
                progress,
                shown,
                (copier, each) -> new TreeCopier(copier, each).put(tree, source, place, shown));
    }

    /** Makes a directory, and returns the place of a file in it; null in a trial. */
    private RemotePlace made(NfsMount mount, NfsUrl url, FileName name)
            throws IOException, InterruptedException {
        if (rules.isTrial()) {
            transfer.plan(Step.MAKE_DIRECTORY, url.path().escaped(), 0);
            return null;
        }
        int mode = PERMISSIONS & ~Umask.current();
        return new RemotePlace(mount.makeDirectory(url.path(), mode), name);
    }

    private void get(Copies copies, NfsUrl url) throws IOException, InterruptedException {
        // The user may name a link to the directory; none below it is followed. From here on the
        // name that the user gave is not used: another process may exchange it.
        try (var opened =
                LocalPlace.openDirectory(RawArguments.path(target), "cannot write " + target)) {
            get(copies, url, opened);
        }
    }

    private void get(Copies copies, NfsUrl url, LocalPlace opened)
            throws IOException, InterruptedException {
        var mount = copies.mount(url);
        var end = end(url.path().escaped() + (url.isDirectory() ? "/" : ""));
        var file = mount.resolve(url.path(), end != End.NAME);
        var local = RawArguments.path(target);
        var there =
                opened.isOpenDirectory()
                        ? There.DIRECTORY
                        : Files.exists(local) ? There.FILE : There.NOTHING;
        var type = type(mount, file, there, url);
        selection.findListed(mount, file, remote.options().files());
        var plan = Destination.of(Rules.RSYNC, end, type, there, target.endsWith("/"));
        Destination.require(plan, url.toString(), target);
        var used = rules;
        var inside = new NamedPlace(opened, local);
        if (end == End.NAME) {
            var name = url.name().orElseThrow();
            used = below(name);
            var path = local.resolve(LocalNames.path(name.bytes()));
            inside = new NamedPlace(opened.child(name), path);
            if (isExcluded(name, file.attributes().type())) {
                return;
            }
        }
        boolean isLeft =
                there == There.NOTHING
                        && (type != Source.FILE || plan == Plan.IS_MADE)
                        && Files.exists(local, LinkOption.NOFOLLOW_LINKS);
        if (isLeft) {
            throw new IOException(
                    "cannot write " + target + ": it is a link to a directory that is not there");
        }
        switch (plan) {
            case RECEIVES -> get(copies, url, used, file, inside);
            case IS_MADE -> {
                if (rules.isTrial()) {
                    transfer.plan(Step.MAKE_DIRECTORY, target, 0);
                } else {
                    opened.makeDirectory(PERMISSIONS, "cannot make " + target);
                }
                get(copies, url, used, file, inside);
            }
            default -> {
                var shown = there == There.DIRECTORY ? opened.directory() : local;
                get(copies, url, used, file, new NamedPlace(opened, shown));
            }
        }
    }

    private static Source type(NfsMount mount, RemoteFile file, There there, NfsUrl url)
            throws IOException, InterruptedException {
        if (!file.attributes().isDirectory()) {
            return Source.FILE;
        }
        boolean isEmpty =
                there == There.NOTHING
                        && mount.names(
                                        file.handle(),
                                        url.path().escaped(),
                                        new NameMemory().share())
                                .isEmpty();
        return isEmpty ? Source.EMPTY_DIRECTORY : Source.DIRECTORY;
    }

    private void get(Copies copies, NfsUrl url, CopyRules used, RemoteFile file, NamedPlace place)
            throws IOException, InterruptedException {
        var name = url.path().escaped();
        var shown = place.text();
        removal.run(
                copies,
                url,
                used,
                progress,
                shown,
                (copier, each) ->
                        new TreeCopier(copier, each).get(file, name, place.opened(), shown));
    }
}
