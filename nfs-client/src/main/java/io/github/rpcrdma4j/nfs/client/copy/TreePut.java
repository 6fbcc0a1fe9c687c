package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.ParentDirectories;
import io.github.rpcrdma4j.nfs.client.copy.CopyComparison.Need;
import io.github.rpcrdma4j.nfs.client.copy.CopyListener.Step;
import io.github.rpcrdma4j.nfs.client.copy.OpenDirectories.Place;
import io.github.rpcrdma4j.nfs.client.copy.OpenDirectories.Use;
import io.github.rpcrdma4j.nfs.client.file.Modes;
import io.github.rpcrdma4j.nfs.client.file.NameRoom;
import io.github.rpcrdma4j.nfs.client.local.ExtendedAcls;
import io.github.rpcrdma4j.nfs.client.local.LocalFile;
import io.github.rpcrdma4j.nfs.client.local.LocalPath;
import io.github.rpcrdma4j.nfs.client.local.LocalStatus;
import io.github.rpcrdma4j.nfs.client.local.LocalTree;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.FileIdentity;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.service.Status;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Copies a local directory tree to a server: each file in it becomes a job. One object serves one
 * copy.
 *
 * <p>Tests: {@code TreesTest}, {@code ManyNamesTest}.
 */
final class TreePut implements AutoCloseable {
    /** The copy of a file of several names, and attributes of the file. */
    private record Linked(FileHandle copy, LocalStatus source) {}

    /** Copies a file and returns the handle of the copy. */
    private interface Copying {
        /** Runs with the file that is replaced, if there is one. */
        FileHandle run(Optional<RemoteFile> replaced) throws IOException, InterruptedException;
    }

    private final Copier copier;
    private final NfsMount mount;
    private final RemoteFiles remote;
    private final RemoteDirectories directories;
    private final OpenDirectories opened;
    private final ShownPath sources;
    private final ShownPath targets;
    private final CopyRules rules;
    private final Optional<MadeCopies> made;
    private final CopyComparison comparison;
    private final ServerExtras extras;
    private final ServerTraits traits;

    /** How many names of a path the top of the tree stands for. */
    private final int depth;

    private final JobQueue jobs;
    private final HardLinks<FileIdentity, Linked> links;

    /**
     * Creates the copy of a tree.
     *
     * @param sources shows paths of sources in messages
     * @param targets shows paths of targets in messages
     * @param made copies of other sources that are not replaced
     */
    TreePut(
            Copier copier,
            LocalTree tree,
            ShownPath sources,
            ShownPath targets,
            CopyRules rules,
            Optional<MadeCopies> made,
            JobQueue jobs) {
        this.copier = copier;
        this.mount = copier.context().mount();
        this.remote = copier.remote();
        this.directories = new RemoteDirectories(copier.remote());
        this.opened = new OpenDirectories(tree);
        this.sources = sources;
        this.targets = targets;
        this.rules = rules;
        this.made = made;
        this.comparison = new CopyComparison(copier.context(), rules.comparison(), true);
        this.depth = sources.depth();
        this.extras = new ServerExtras(copier.context(), jobs, rules, depth);
        this.traits = new ServerTraits(copier.remote(), rules.isTrial());
        this.jobs = jobs;
        this.links = new HardLinks<>(jobs::requeue);
    }

    /**
     * Adds the job of one file of any type, unless the rules leave it out.
     *
     * @param target null if its directory is missing, in a trial
     */
    void add(LocalPath source, RemotePlace target, Optional<RemoteFile> replaced)
            throws IOException {
        var place = opened.place(source);
        try (var at = place.use("cannot read " + sources.of(source))) {
            add(null, NameTurns.NONE, at, target, replaced);
        }
    }

    private void add(
            JobQueue.Directory above,
            NameTurns turns,
            Use source,
            RemotePlace target,
            Optional<RemoteFile> replaced)
            throws IOException {
        var path = source.path();
        var status = source.in().status(source.file(), "cannot read " + sources.of(path));
        if (!rules.wants(path, depth, status.type())) {
            return;
        }
        var work =
                turns.inTurn(
                        path.name(),
                        () -> sources.of(path),
                        work(source.place(), status, target, replaced));
        if (status.isDirectory()) {
            jobs.addDirectory(above, work);
        } else {
            jobs.addFile(above, work);
        }
    }

    private JobQueue.Work work(
            Place source, LocalStatus status, RemotePlace target, Optional<RemoteFile> replaced) {
        return self -> {
            try (var at = source.use("cannot read " + sources.of(source.path()))) {
                return switch (status.type()) {
                    case REGULAR -> putFile(self, at, target, replaced);
                    case DIRECTORY -> putDirectory(self, at, status, target, replaced);
                    case SYMBOLIC_LINK -> putLink(self, at, status, target, replaced);
                    case BLOCK_DEVICE, CHARACTER_DEVICE, SOCKET, FIFO ->
                            putNode(self, at, status, target, replaced);
                };
            }
        };
    }

    private boolean putFile(
            JobQueue.Job self, Use source, RemotePlace target, Optional<RemoteFile> replaced)
            throws IOException, InterruptedException {
        var from = sources.of(source.path());
        var to = targets.of(source.path());
        try (var file = source.in().read(source.file(), "cannot read " + from)) {
            var status = file.status();
            var kept = LocalSource.of(file, status, copier.context());
            return isThere(file, kept, target, replaced, from, to)
                    || put(
                            self,
                            source,
                            status,
                            target,
                            replaced,
                            left ->
                                    copier.put(
                                            file,
                                            status,
                                            target,
                                            left.map(RemoteFile::attributes),
                                            from,
                                            to));
        }
    }

    /** Returns whether the copy of a regular file exists already. It then has its attributes. */
    private boolean isThere(
            LocalFile file,
            LocalSource kept,
            RemotePlace target,
            Optional<RemoteFile> replaced,
            String from,
            String to)
            throws IOException, InterruptedException {
        var status = kept.status();
        if (replaced.isEmpty() || !comparison.isPossible(status, replaced.get().attributes())) {
            return false;
        }
        var need = need(kept, target, replaced.get(), to);
        return need != Need.REPLACEMENT
                && comparison.isSame(status, file, replaced.get(), "cannot read " + from)
                && isKept(need, kept, target, replaced.get(), to);
    }

    private Need need(LocalSource source, RemotePlace target, RemoteFile there, String to)
            throws IOException, InterruptedException {
        return comparison.need(
                source, copier.context().copy(there, to), traits.of(target, there, to));
    }

    /** Gives a copy the attributes that it lacks, and returns true. */
    private boolean isKept(
            Need need, LocalSource source, RemotePlace target, RemoteFile there, String to)
            throws IOException, InterruptedException {
        if (need == Need.NOTHING) {
            copier.context().listener().unchanged(to);
        } else if (rules.isTrial()) {
            copier.context().listener().planned(Step.SET_ATTRIBUTES, to, 0);
        } else {
            remote.keep(target.directory(), there.handle(), source, false, to);
            copier.context().listener().unchanged(to);
        }
        return true;
    }

    private boolean putLink(
            JobQueue.Job self,
            Use source,
            LocalStatus status,
            RemotePlace target,
            Optional<RemoteFile> replaced)
            throws IOException, InterruptedException {
        var to = targets.of(source.path());
        var what = "cannot read the link " + sources.of(source.path());
        var text = source.in().readLink(source.file(), status, what);
        var kept = new LocalSource(status, ExtendedAcls.NONE);
        if (isThere(text, replaced, to) && isThere(kept, target, replaced.get(), to)) {
            return true;
        }
        return put(
                self,
                source,
                status,
                target,
                replaced,
                _ -> {
                    var copy = new RemoteNodes(copier.remote()).putLink(text, status, target, to);
                    copier.context().listener().file(to, 0);
                    return copy;
                });
    }

    private boolean putNode(
            JobQueue.Job self,
            Use source,
            LocalStatus status,
            RemotePlace target,
            Optional<RemoteFile> replaced)
            throws IOException, InterruptedException {
        var to = targets.of(source.path());
        var what = "cannot read " + sources.of(source.path());
        var kept = LocalSource.of(source, status, copier.context(), what);
        if (rules.comparison() != CopyRules.Comparison.NONE
                && replaced.isPresent()
                && RemoteFiles.isSameNode(status, replaced.get().attributes())
                && isThere(kept, target, replaced.get(), to)) {
            return true;
        }
        return put(
                self,
                source,
                status,
                target,
                replaced,
                _ -> {
                    var copy = new RemoteNodes(copier.remote()).putNode(kept, target, to);
                    copier.context().listener().file(to, 0);
                    return copy;
                });
    }

    /** Returns whether a file without contents is the copy. It then has its attributes. */
    private boolean isThere(LocalSource source, RemotePlace target, RemoteFile there, String to)
            throws IOException, InterruptedException {
        var need = need(source, target, there, to);
        return need != Need.REPLACEMENT && isKept(need, source, target, there, to);
    }

    /** Returns whether a link of this text exists already. */
    private boolean isThere(PathName text, Optional<RemoteFile> replaced, String to)
            throws IOException, InterruptedException {
        return rules.comparison() != CopyRules.Comparison.NONE
                && replaced.isPresent()
                && replaced.get().attributes().type() == FileType.SYMBOLIC_LINK
                && mount.service()
                        .readLink(replaced.get().handle(), "cannot read the link " + to)
                        .equals(text);
    }

    /** Copies a file, unless that would replace a copy of another source. */
    private boolean put(
            JobQueue.Job self,
            Use source,
            LocalStatus status,
            RemotePlace target,
            Optional<RemoteFile> replaced,
            Copying copying)
            throws IOException, InterruptedException {
        var to = targets.of(source.path());
        if (made.isPresent()) {
            made.get().requireNew(sources.of(source.path()), to);
        }
        boolean isDone = true;
        var left = extras.left(source.path(), false, target, replaced, to);
        if (rules.isTrial()) {
            if (left.isPresent() && left.get().attributes().isDirectory()) {
                throw new NfsException("cannot write " + to, Status.ISDIR);
            }
            boolean hasContents = status.type() == FileType.REGULAR;
            copier.context().listener().planned(Step.COPY, to, hasContents ? status.size() : 0);
        } else {
            isDone = copyOrLink(self, status, target, left, to, copying);
        }
        if (isDone) {
            made.ifPresent(copies -> copies.add(to));
        }
        return isDone;
    }

    /** Copies a file, or links the target to the copy made under another name of the file. */
    private boolean copyOrLink(
            JobQueue.Job self,
            LocalStatus status,
            RemotePlace target,
            Optional<RemoteFile> replaced,
            String to,
            Copying copying)
            throws IOException, InterruptedException {
        // File systems exist whose files all have the number 0.
        if (!copier.context().kept().hardLinks() || status.links() < 2 || status.inode() == 0) {
            copying.run(replaced);
            return true;
        }
        var identity = LocalSource.identity(status);
        return links.copyOrLink(
                identity,
                self,
                () -> new Linked(copying.run(replaced), status),
                linked -> {
                    if (!status.isUnchangedSince(linked.source)) {
                        copying.run(replaced);
                        return;
                    }
                    remote.link(linked.copy, target, to);
                    copier.context().listener().file(to, 0);
                });
    }

    private boolean putDirectory(
            JobQueue.Job self,
            Use source,
            LocalStatus found,
            RemotePlace target,
            Optional<RemoteFile> replaced)
            throws IOException, InterruptedException {
        var path = source.path();
        ParentDirectories.requireDepth(path.depth(), path.name().escaped());
        var what = "cannot list " + sources.of(path);
        // Its owner may have changed it since then, but it must be the same directory.
        var directory = opened.open(source, found, what);
        // List before making the directory: if the server is this machine, the target may lie in
        // its own source.
        var room = new NameRoom(self.names(), what);
        var listed = ListedDirectory.of(path, directory, room, copier.context());
        if (rules.isTrial()) {
            return tryDirectory(self, listed, target, replaced);
        }
        putDirectory(self, listed, target, replaced);
        return true;
    }

    private void putDirectory(
            JobQueue.Job self,
            ListedDirectory source,
            RemotePlace target,
            Optional<RemoteFile> replaced)
            throws IOException, InterruptedException {
        var kept = source.kept();
        var to = targets.of(source.path());
        extras.left(source.path(), true, target, replaced, to);
        int mode = Modes.made(kept.status().mode(), copier.context().umask());
        var filled =
                rules.leaves(source.path(), depth)
                        ? directories.makeUsual(target, to)
                        : directories.make(target, copier.context().filling(mode), kept, to);
        extras.fills(filled.handle());
        var others = new HashMap<FileName, RemoteFile>();
        jobs.directory(
                self,
                isIncomplete -> {
                    source.opened().end();
                    extras.remove(isIncomplete, filled.handle(), others, source.path(), to);
                    directories.finish(comparison, traits, target, filled, kept, mode, to);
                },
                directory -> {
                    var there =
                            filled.isNew()
                                    ? new HashMap<FileName, RemoteFile>()
                                    : remote.sweep(filled.handle(), to, self.names());
                    fill(directory, source, filled.handle(), there, others);
                });
    }

    /** Finds out what would happen to a directory, which is not made. */
    private boolean tryDirectory(
            JobQueue.Job self,
            ListedDirectory source,
            RemotePlace target,
            Optional<RemoteFile> replaced)
            throws IOException, InterruptedException {
        var to = targets.of(source.path());
        var found =
                target == null || replaced.isEmpty()
                        ? Optional.<RemoteFile>empty()
                        : mount.service().find(target, "cannot find " + to);
        found = extras.left(source.path(), true, target, found, to);
        if (found.isEmpty()) {
            copier.context().listener().planned(Step.MAKE_DIRECTORY, to, 0);
        } else if (!found.get().attributes().isDirectory()) {
            throw new NfsException("cannot make " + to, Status.NOTDIR);
        } else {
            if (copier.context().kept().attributes() && !rules.leaves(source.path(), depth)) {
                directories.plan(comparison, target, found.get(), source.kept(), traits, to);
            }
            extras.fills(found.get().handle());
        }
        var handle = found.map(RemoteFile::handle).orElse(null);
        var others = new HashMap<FileName, RemoteFile>();
        jobs.directory(
                self,
                isIncomplete -> {
                    source.opened().end();
                    extras.remove(isIncomplete, handle, others, source.path(), to);
                },
                directory -> {
                    var there =
                            handle == null
                                    ? new HashMap<FileName, RemoteFile>()
                                    : remote.list(handle, to, self.names(), false);
                    fill(directory, source, handle, there, others);
                });
        return true;
    }

    /**
     * Adds the jobs of a directory.
     *
     * @param target null if it is missing, in a trial
     * @param there the files in it; receives those that it lists under another spelling
     * @param others receives the files in it that are to be removed
     */
    private void fill(
            JobQueue.Directory directory,
            ListedDirectory source,
            FileHandle target,
            Map<FileName, RemoteFile> there,
            Map<FileName, RemoteFile> others)
            throws IOException, InterruptedException {
        var to = targets.of(source.path());
        var names = source.names();
        var found = Set.copyOf(there.keySet());
        others.putAll(extras.of(source.path(), names, there, sources.of(source.path()), to));
        extras.findSpelled(target, names, there, others, to);
        NameTurns.Search search =
                name ->
                        target != null
                                && mount.service()
                                        .find(new RemotePlace(target, name), "cannot find " + to)
                                        .isPresent();
        var turns = new NameTurns(names, found, search, jobs::requeue);
        for (var name : names) {
            if (!TemporaryName.is(name)) {
                var place = target == null ? null : new RemotePlace(target, name);
                addChild(directory, turns, source.opened().place(name), place, there.get(name));
            }
        }
    }

    private void addChild(
            JobQueue.Directory directory,
            NameTurns turns,
            Place source,
            RemotePlace target,
            RemoteFile replaced) {
        try (var at = source.use("cannot read " + sources.of(source.path()))) {
            add(directory, turns, at, target, Optional.ofNullable(replaced));
        } catch (IOException ofOne) {
            jobs.failed(ofOne);
        }
    }

    /** Closes the directories that a copy which has stopped left open. */
    @Override
    public void close() {
        opened.close();
    }
}
