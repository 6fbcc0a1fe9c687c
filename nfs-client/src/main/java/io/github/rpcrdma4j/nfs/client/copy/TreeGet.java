package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.ParentDirectories;
import io.github.rpcrdma4j.nfs.client.copy.CopyComparison.Need;
import io.github.rpcrdma4j.nfs.client.copy.CopyListener.Step;
import io.github.rpcrdma4j.nfs.client.copy.OpenDirectories.Directory;
import io.github.rpcrdma4j.nfs.client.copy.OpenDirectories.Place;
import io.github.rpcrdma4j.nfs.client.copy.OpenDirectories.Use;
import io.github.rpcrdma4j.nfs.client.file.Modes;
import io.github.rpcrdma4j.nfs.client.file.NameRoom;
import io.github.rpcrdma4j.nfs.client.local.LocalChanges;
import io.github.rpcrdma4j.nfs.client.local.LocalException;
import io.github.rpcrdma4j.nfs.client.local.LocalException.Reason;
import io.github.rpcrdma4j.nfs.client.local.LocalPath;
import io.github.rpcrdma4j.nfs.client.local.LocalStatus;
import io.github.rpcrdma4j.nfs.client.local.LocalTree;
import io.github.rpcrdma4j.nfs.client.service.DirectoryPage.Wanted;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.FileIdentity;
import io.github.rpcrdma4j.nfs.client.service.FileSystemId;
import io.github.rpcrdma4j.nfs.client.service.NameMemory;
import io.github.rpcrdma4j.nfs.client.service.NamedFile;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Copies a directory tree from a server to this machine: each file in it becomes a job. One object
 * serves one copy. Tests: {@code TreesTest}, {@code ManyNamesTest}.
 */
final class TreeGet implements AutoCloseable {
    /**
     * The copy of a file of several names.
     *
     * @param copied attributes of the copy
     * @param source attributes of the file
     */
    private record Linked(LocalPath copy, LocalStatus copied, FileAttributes source) {}

    private static final int PERMISSIONS = 0777;

    private final Copier copier;
    private final NfsMount mount;
    private final LocalTree tree;
    private final OpenDirectories directories;
    private final ShownPath sources;
    private final ShownPath targets;
    private final CopyRules rules;
    private final Optional<MadeCopies> made;
    private final CopyComparison comparison;
    private final LocalExtras extras;

    private final RememberedTraits traits = new RememberedTraits();

    /** How many names of a path the top of the tree stands for. */
    private final int depth;

    private final JobQueue jobs;
    private final HardLinks<FileHandle, Linked> links;

    /**
     * Creates the copy of a tree.
     *
     * @param tree the local tree that receives the copy
     * @param sources shows paths of sources in messages
     * @param targets shows paths of targets in messages
     * @param made copies of other sources that are not replaced
     */
    TreeGet(
            Copier copier,
            LocalTree tree,
            ShownPath sources,
            ShownPath targets,
            CopyRules rules,
            Optional<MadeCopies> made,
            JobQueue jobs) {
        this.copier = copier;
        this.mount = copier.context().mount();
        this.tree = tree;
        this.directories = new OpenDirectories(tree);
        this.sources = sources;
        this.targets = targets;
        this.rules = rules;
        this.made = made;
        this.comparison = new CopyComparison(copier.context(), rules.comparison(), false);
        this.extras = new LocalExtras(tree, copier.context().listener(), jobs, targets, rules);
        this.depth = targets.depth();
        this.jobs = jobs;
        this.links = new HardLinks<>(jobs::requeue);
    }

    /** Adds the job of one file of any type. */
    void add(RemoteFile source, LocalPath target) {
        add(null, null, NameTurns.NONE, source, directories.place(target));
    }

    private void add(
            JobQueue.Directory above,
            ParentDirectories parents,
            NameTurns turns,
            RemoteFile source,
            Place target) {
        var path = target.path();
        var work = turns.inTurn(path.name(), () -> sources.of(path), work(parents, source, target));
        if (source.attributes().isDirectory()) {
            jobs.addDirectory(above, work);
        } else {
            jobs.addFile(above, work);
        }
    }

    private JobQueue.Work work(ParentDirectories parents, RemoteFile source, Place target) {
        return self -> {
            try (var at = target.use("cannot write " + targets.of(target.path()))) {
                return switch (source.attributes().type()) {
                    case REGULAR -> get(self, source, at, this::getFile);
                    case DIRECTORY -> getDirectory(self, parents, source, at);
                    case SYMBOLIC_LINK -> get(self, source, at, this::getLink);
                    case BLOCK_DEVICE, CHARACTER_DEVICE, SOCKET, FIFO ->
                            get(self, source, at, this::getNode);
                };
            }
        };
    }

    private LocalFiles local(Use at) {
        return new LocalFiles(copier.context(), at.in());
    }

    /** Copies one file. */
    private interface Copying {
        void run(RemoteFile source, Use target) throws IOException, InterruptedException;
    }

    /** Copies a file, unless its copy exists or that would replace a copy of another source. */
    private boolean get(JobQueue.Job self, RemoteFile source, Use target, Copying copying)
            throws IOException, InterruptedException {
        if (rules.comparison() != CopyRules.Comparison.NONE && isThere(source, target)) {
            return true;
        }
        var to = targets.of(target.path());
        if (made.isPresent()) {
            made.get().requireNew(sources.of(target.path()), to);
        }
        boolean isDone = true;
        if (rules.isTrial() || rules.replacesOtherTypes()) {
            extras.requireWay(target, "cannot write " + to, () -> requireReadable(source, target));
        }
        if (rules.isTrial()) {
            var attributes = source.attributes();
            boolean hasContents = attributes.type() == FileType.REGULAR;
            copier.context().listener().planned(Step.COPY, to, hasContents ? attributes.size() : 0);
        } else {
            isDone = copyOrLink(self, source, target, to, copying);
        }
        if (isDone) {
            made.ifPresent(copies -> copies.add(to));
        }
        return isDone;
    }

    /** Copies a file, or links the target to the copy made under another name of the file. */
    private boolean copyOrLink(
            JobQueue.Job self, RemoteFile source, Use target, String to, Copying copying)
            throws IOException, InterruptedException {
        if (!copier.context().kept().hardLinks()
                || Integer.compareUnsigned(source.attributes().links(), 2) < 0) {
            copying.run(source, target);
            return true;
        }
        return links.copyOrLink(
                source.handle(),
                self,
                () -> {
                    copying.run(source, target);
                    var copied = target.in().status(target.file(), "cannot find " + to);
                    return new Linked(target.path(), copied, source.attributes());
                },
                linked -> {
                    if (!FileIdentity.isUnchanged(linked.source, source.attributes())) {
                        copying.run(source, target);
                        return;
                    }
                    local(target).link(tree, linked.copy, linked.copied, target.file(), to);
                    copier.context().listener().file(to, 0);
                });
    }

    /** Returns whether the copy of a file exists already. It then has its attributes. */
    private boolean isThere(RemoteFile source, Use target)
            throws IOException, InterruptedException {
        var to = targets.of(target.path());
        var found = target.find("cannot find " + to);
        if (found.isEmpty() || found.get().type() != source.attributes().type()) {
            return false;
        }
        var there = found.get();
        boolean isPossible =
                switch (there.type()) {
                    case REGULAR -> comparison.isPossible(there, source.attributes());
                    case SYMBOLIC_LINK -> hasText(source, target, there, to);
                    case BLOCK_DEVICE, CHARACTER_DEVICE, SOCKET, FIFO ->
                            RemoteFiles.isSameNode(there, source.attributes());
                    case DIRECTORY -> false;
                };
        if (!isPossible) {
            return false;
        }
        var kept = copier.context().source(source, sources.of(target.path()));
        var need = need(there, kept, target, to);
        if (need == Need.REPLACEMENT
                || there.type() == FileType.REGULAR && !isSame(source, target, there, to)) {
            return false;
        }
        if (need == Need.NOTHING) {
            copier.context().listener().unchanged(to);
        } else if (rules.isTrial()) {
            copier.context().listener().planned(Step.SET_ATTRIBUTES, to, 0);
        } else {
            local(target).keep(target.file(), there, kept, to);
            copier.context().listener().unchanged(to);
        }
        return true;
    }

    private Need need(LocalStatus found, RemoteSource source, Use target, String to)
            throws IOException, InterruptedException {
        if (!copier.context().kept().attributes()) {
            return Need.NOTHING;
        }
        var copy = LocalSource.of(target, found, copier.context(), "cannot read " + to);
        var asking =
                rules.isTrial()
                        ? NewFileTraits.ASSUMED
                        : traits.of(
                                new FileSystemId(found.device(), 0),
                                local(target).asking(target.file(), "cannot write " + to));
        return comparison.need(copy, source, asking);
    }

    private boolean isSame(RemoteFile source, Use target, LocalStatus found, String to)
            throws IOException, InterruptedException {
        var what = "cannot read " + sources.of(target.path());
        if (!comparison.readsContents()) {
            return comparison.isPossible(found, source.attributes());
        }
        try (var file = target.in().read(target.file(), "cannot read " + to)) {
            return comparison.isSame(found, file, source, what);
        }
    }

    private boolean hasText(RemoteFile source, Use target, LocalStatus found, String to)
            throws IOException, InterruptedException {
        var what = "cannot read the link " + sources.of(target.path());
        return target.in()
                .readLink(target.file(), found, "cannot read the link " + to)
                .equals(mount.service().readLink(source.handle(), what));
    }

    private void getFile(RemoteFile source, Use target) throws IOException, InterruptedException {
        var from = sources.of(target.path());
        copier.getListed(local(target), source, from, target.file(), targets.of(target.path()));
    }

    private void getLink(RemoteFile source, Use target) throws IOException, InterruptedException {
        var to = targets.of(target.path());
        var what = "cannot read the link " + sources.of(target.path());
        var text = mount.service().readLink(source.handle(), what);
        local(target).getLink(text, source.attributes(), target.file(), to);
        copier.context().listener().file(to, 0);
    }

    private void getNode(RemoteFile source, Use target) throws IOException, InterruptedException {
        var from = sources.of(target.path());
        var to = targets.of(target.path());
        var kept = copier.context().source(ServerCopy.now(copier.context(), source, from), from);
        local(target).getNode(kept, target.file(), to);
        copier.context().listener().file(to, 0);
    }

    private boolean getDirectory(
            JobQueue.Job self, ParentDirectories parents, RemoteFile source, Use target)
            throws IOException, InterruptedException {
        var from = sources.of(target.path());
        var to = targets.of(target.path());
        ParentDirectories.requireNoCycle(parents, source.handle(), from);
        // List before making the directory: if the server is this machine, the target may lie in
        // its own source.
        var children = mount.list(source.handle(), Wanted.ALL, from, self.names());
        if (rules.isTrial()) {
            return tryDirectory(self, parents, source, children, target);
        }
        // What the listing has came after its owner may have closed it.
        var now = ServerCopy.now(copier.context(), source, from);
        var kept = copier.context().source(now, from);
        boolean isUsual = rules.leaves(target.path(), depth);
        int mode =
                Modes.made(
                        isUsual ? PERMISSIONS : now.attributes().mode(), copier.context().umask());
        var what = "cannot make " + to;
        boolean isNew = !extras.isDirectoryThere(target, what);
        int filling = isUsual ? mode | Modes.FILLING_DIRECTORY : copier.context().filling(mode);
        var filled = isNew ? make(target, filling, what) : open(target, what);
        extras.fills(filled.found());
        if (!isNew && copier.context().kept().attributes() && !isUsual) {
            try (var in = filled.use(what)) {
                local(in).narrow(in.file(), filled.found(), kept, to);
            }
        }
        var others = new HashMap<LocalPath, LocalStatus>();
        jobs.directory(
                self,
                isIncomplete -> {
                    filled.end();
                    extras.remove(isIncomplete, target.path(), filled.found(), others);
                    if (!isUsual) {
                        finish(target.place(), filled.found(), kept, isNew, mode);
                    }
                },
                directory -> {
                    if (!isNew) {
                        try (var in = filled.use(what)) {
                            try (var names = jobs.share()) {
                                local(in).sweep(in.file(), names, to);
                            }
                            others.putAll(extras.of(children, in, directory.names(), from));
                        }
                    }
                    addAll(directory, parents, source, children, target, Optional.of(filled));
                });
        return true;
    }

    private Directory make(Use target, int mode, String what)
            throws IOException, InterruptedException {
        var in = target.in();
        in.makeDirectory(target.file(), mode, what);
        var directory = directories.open(target, in.status(target.file(), what), what);
        boolean isMade = false;
        try (var made = directory.use(what)) {
            local(target).requireMade(target.file(), made.in(), mode, what);
            isMade = true;
        } finally {
            if (!isMade) {
                directory.end();
            }
        }
        return directory;
    }

    private Directory open(Use target, String what) throws IOException {
        return directories.open(target, target.in().status(target.file(), what), what);
    }

    /** Finds out what would happen to a directory, which is not made. */
    private boolean tryDirectory(
            JobQueue.Job self,
            ParentDirectories parents,
            RemoteFile source,
            List<NamedFile> children,
            Use target)
            throws IOException, InterruptedException {
        var from = sources.of(target.path());
        var to = targets.of(target.path());
        var what = "cannot find " + to;
        if (!extras.isDirectoryThere(target, "cannot make " + to)) {
            copier.context().listener().planned(Step.MAKE_DIRECTORY, to, 0);
            jobs.directory(
                    self,
                    _ -> {},
                    directory ->
                            addAll(directory, parents, source, children, target, Optional.empty()));
            return true;
        }
        var found = open(target, what);
        extras.fills(found.found());
        if (!rules.leaves(target.path(), depth)
                && need(found.found(), copier.context().source(source, from), target, to)
                        != Need.NOTHING) {
            copier.context().listener().planned(Step.SET_ATTRIBUTES, to, 0);
        }
        var others = new HashMap<LocalPath, LocalStatus>();
        jobs.directory(
                self,
                isIncomplete -> {
                    found.end();
                    extras.remove(isIncomplete, target.path(), found.found(), others);
                },
                directory -> {
                    try (var in = found.use(what)) {
                        others.putAll(extras.of(children, in, directory.names(), from));
                    }
                    addAll(directory, parents, source, children, target, Optional.of(found));
                });
        return true;
    }

    /**
     * Adds the jobs of a directory.
     *
     * @param filled empty if the directory is missing, in a trial
     */
    private void addAll(
            JobQueue.Directory directory,
            ParentDirectories parents,
            RemoteFile source,
            List<NamedFile> children,
            Use target,
            Optional<Directory> filled)
            throws IOException {
        var path = target.path();
        var childParents = new ParentDirectories(source.handle(), path.name().escaped(), parents);
        var turns =
                filled.isEmpty()
                        ? NameTurns.NONE
                        : turns(children, filled.get(), directory.names(), targets.of(path));
        for (var child : children) {
            var copy =
                    filled.isEmpty()
                            ? target.place().child(child.name())
                            : filled.get().place(child.name());
            if (!TemporaryName.is(child.name())
                    && rules.wants(copy.path(), depth, child.attributes().type())) {
                add(
                        directory,
                        childParents,
                        turns,
                        new RemoteFile(child.handle(), child.attributes()),
                        copy);
            }
        }
    }

    /** Returns the turns of the files that go into a directory, if some of them need turns. */
    private NameTurns turns(
            List<NamedFile> children, Directory filled, NameMemory.Share memory, String to)
            throws IOException {
        var names = children.stream().map(NamedFile::name).toList();
        if (FoldedNames.groups(names, Set.of()).isEmpty()) {
            return NameTurns.NONE;
        }
        var what = "cannot list " + to;
        NameTurns.Search search =
                name -> {
                    try (var at = filled.place(name).use(what)) {
                        return at.in().find(at.file(), what).isPresent();
                    }
                };
        try (var in = filled.use(what)) {
            var listed = Set.copyOf(in.in().list(in.file(), new NameRoom(memory, what), what));
            return new NameTurns(names, listed, search, jobs::requeue);
        }
    }

    /** Nothing makes way for a file that cannot be copied. */
    private void requireReadable(RemoteFile source, Use target)
            throws IOException, InterruptedException {
        if (source.attributes().type() == FileType.REGULAR) {
            var what = "cannot read " + sources.of(target.path());
            FileGet.requireReadable(mount.service(), source.handle(), what);
        }
    }

    private void finish(
            Place target, LocalStatus made, RemoteSource source, boolean isNew, int mode)
            throws IOException, InterruptedException {
        var name = targets.of(target.path());
        var what =
                copier.context().kept().attributes()
                        ? "cannot keep the attributes of " + name
                        : "cannot set the permissions of " + name;
        try (var at = target.use(what)) {
            var now = at.in().status(at.file(), what);
            if (!now.isSameFile(made)) {
                throw new LocalException(what, Reason.OTHER, "another file has taken its place");
            }
            if (copier.context().kept().attributes()) {
                if (isNew || need(now, source, at, name) != Need.NOTHING) {
                    local(at).keep(at.file(), made, source, name);
                }
            } else if (isNew && (~mode & Modes.FILLING_DIRECTORY) != 0) {
                var changes = LocalChanges.ofMode(Modes.ofDirectory(mode, now.mode()));
                at.in().change(at.file(), made, changes, what);
            }
        }
    }

    /** Closes the directories that a copy which has stopped left open. */
    @Override
    public void close() {
        directories.close();
    }
}
