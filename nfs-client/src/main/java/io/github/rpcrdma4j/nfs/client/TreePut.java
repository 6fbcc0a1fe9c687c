package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.CopyComparison.Need;
import io.github.rpcrdma4j.nfs.client.CopyListener.Step;
import io.github.rpcrdma4j.nfs.client.NfsMount.RemoteFile;
import io.github.rpcrdma4j.nfs.client.local.ExtendedAcls;
import io.github.rpcrdma4j.nfs.client.local.LocalPath;
import io.github.rpcrdma4j.nfs.client.local.LocalStatus;
import io.github.rpcrdma4j.nfs.client.local.LocalTree;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.FileType;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.Status;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Copies a local directory tree to a server: each file in it becomes a job. One object serves one
 * copy.
 */
final class TreePut {
    /**
     * The copy of a file of several names.
     *
     * @param source attributes of the file
     */
    private record Linked(FileHandle copy, LocalStatus source) {}

    /** Copies a file and returns the handle of the copy. */
    private interface Copying {
        FileHandle run() throws IOException, InterruptedException;
    }

    private final Copier copier;
    private final NfsMount mount;
    private final RemoteFiles remote;
    private final RemoteDirectories directories;
    private final LocalTree tree;
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
        this.mount = copier.mount();
        this.remote = copier.remote();
        this.directories = new RemoteDirectories(copier);
        this.tree = tree;
        this.sources = sources;
        this.targets = targets;
        this.rules = rules;
        this.made = made;
        this.comparison = new CopyComparison(copier, rules.comparison(), true);
        this.depth = sources.depth();
        this.extras = new ServerExtras(copier, jobs, rules, depth);
        this.traits = new ServerTraits(copier, rules.isTrial());
        this.jobs = jobs;
        this.links = new HardLinks<>(jobs::requeue);
    }

    /**
     * Adds the job of one file of any type, unless the rules leave it out.
     *
     * @param target null if its directory is missing, in a trial
     */
    void add(LocalPath source, DirOpArgs target, Optional<RemoteFile> replaced) throws IOException {
        add(null, NameTurns.NONE, source, target, replaced);
    }

    private void add(
            JobQueue.Directory above,
            NameTurns turns,
            LocalPath source,
            DirOpArgs target,
            Optional<RemoteFile> replaced)
            throws IOException {
        var status = tree.status(source, "cannot read " + sources.of(source));
        if (!rules.wants(source, depth, status.type())) {
            return;
        }
        var work =
                turns.inTurn(
                        source.name(),
                        () -> sources.of(source),
                        work(source, status, target, replaced));
        if (status.isDirectory()) {
            jobs.addDirectory(above, work);
        } else {
            jobs.addFile(above, work);
        }
    }

    private JobQueue.Work work(
            LocalPath source, LocalStatus status, DirOpArgs target, Optional<RemoteFile> replaced) {
        return switch (status.type()) {
            case REGULAR -> self -> putFile(self, source, target, replaced);
            case DIRECTORY -> self -> putDirectory(self, source, status, target, replaced);
            case SYMBOLIC_LINK -> self -> putLink(self, source, status, target, replaced);
            case BLOCK_DEVICE, CHARACTER_DEVICE, SOCKET, FIFO ->
                    self -> putNode(self, source, status, target, replaced);
        };
    }

    private boolean putFile(
            JobQueue.Job self, LocalPath source, DirOpArgs target, Optional<RemoteFile> replaced)
            throws IOException, InterruptedException {
        var from = sources.of(source);
        var what = "cannot read " + from;
        try (var file = tree.read(source, what)) {
            var status = file.status();
            var to = targets.of(source);
            var kept = LocalSource.of(file, status, copier.kept());
            return isThere(source, kept, target, replaced, what)
                    || put(
                            self,
                            source,
                            status,
                            target,
                            replaced,
                            () ->
                                    copier.put(
                                            file,
                                            status,
                                            target,
                                            replaced.map(RemoteFile::attributes),
                                            from,
                                            to));
        }
    }

    /** Returns whether the copy of a regular file exists already. It then has its attributes. */
    private boolean isThere(
            LocalPath source,
            LocalSource kept,
            DirOpArgs target,
            Optional<RemoteFile> replaced,
            String what)
            throws IOException, InterruptedException {
        var status = kept.status();
        if (replaced.isEmpty() || !comparison.isPossible(status, replaced.get().attributes())) {
            return false;
        }
        var to = targets.of(source);
        var need = need(kept, target, replaced.get(), to);
        return need != Need.REPLACEMENT
                && comparison.isSame(status, () -> tree.read(source, what), replaced.get(), what)
                && isKept(need, kept, target, replaced.get(), to);
    }

    private Need need(LocalSource source, DirOpArgs target, RemoteFile there, String to)
            throws IOException, InterruptedException {
        return comparison.need(source, copier.source(there, to), traits.of(target, there, to));
    }

    /** Gives a copy the attributes that it lacks, and returns true. */
    private boolean isKept(
            Need need, LocalSource source, DirOpArgs target, RemoteFile there, String to)
            throws IOException, InterruptedException {
        if (need == Need.NOTHING) {
            copier.listener().unchanged(to);
        } else if (rules.isTrial()) {
            copier.listener().planned(Step.SET_ATTRIBUTES, to, 0);
        } else {
            remote.keep(target.directory(), there.handle(), source, false, to);
            copier.listener().unchanged(to);
        }
        return true;
    }

    private boolean putLink(
            JobQueue.Job self,
            LocalPath source,
            LocalStatus status,
            DirOpArgs target,
            Optional<RemoteFile> replaced)
            throws IOException, InterruptedException {
        var to = targets.of(source);
        var text = tree.readLink(source, "cannot read the link " + sources.of(source));
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
                () -> {
                    var copy = remote.putLink(text, status, target, to);
                    copier.listener().file(to, 0);
                    return copy;
                });
    }

    private boolean putNode(
            JobQueue.Job self,
            LocalPath source,
            LocalStatus status,
            DirOpArgs target,
            Optional<RemoteFile> replaced)
            throws IOException, InterruptedException {
        var to = targets.of(source);
        if (rules.comparison() != CopyRules.Comparison.NONE
                && replaced.isPresent()
                && RemoteFiles.isSameNode(status, replaced.get().attributes())
                && isThere(source(source, status), target, replaced.get(), to)) {
            return true;
        }
        return put(
                self,
                source,
                status,
                target,
                replaced,
                () -> {
                    var copy = remote.putNode(source(source, status), target, to);
                    copier.listener().file(to, 0);
                    return copy;
                });
    }

    /** Returns whether a file without contents is the copy. It then has its attributes. */
    private boolean isThere(LocalSource source, DirOpArgs target, RemoteFile there, String to)
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
                && mount.client()
                        .readLink(replaced.get().handle(), "cannot read the link " + to)
                        .equals(text);
    }

    /** Copies a file, unless that would replace a copy of another source. */
    private boolean put(
            JobQueue.Job self,
            LocalPath source,
            LocalStatus status,
            DirOpArgs target,
            Optional<RemoteFile> replaced,
            Copying copying)
            throws IOException, InterruptedException {
        var to = targets.of(source);
        if (made.isPresent()) {
            made.get().requireNew(sources.of(source), to);
        }
        boolean isDone = true;
        if (rules.isTrial()) {
            if (replaced.isPresent() && replaced.get().attributes().isDirectory()) {
                throw new NfsException("cannot write " + to, Status.ISDIR);
            }
            boolean hasContents = status.type() == FileType.REGULAR;
            copier.listener().planned(Step.COPY, to, hasContents ? status.size() : 0);
        } else {
            isDone = copyOrLink(self, status, target, to, copying);
        }
        if (isDone) {
            made.ifPresent(copies -> copies.add(to));
        }
        return isDone;
    }

    /** Copies a file, or links the target to the copy made under another name of the file. */
    private boolean copyOrLink(
            JobQueue.Job self, LocalStatus status, DirOpArgs target, String to, Copying copying)
            throws IOException, InterruptedException {
        // File systems exist whose files all have the number 0.
        if (!copier.kept().hardLinks() || status.links() < 2 || status.inode() == 0) {
            copying.run();
            return true;
        }
        var identity = new FileIdentity(status.device(), status.inode());
        return links.copyOrLink(
                identity,
                self,
                () -> new Linked(copying.run(), status),
                linked -> {
                    if (!FileIdentity.isUnchanged(linked.source, status)) {
                        copying.run();
                        return;
                    }
                    remote.link(linked.copy, target, to);
                    copier.listener().file(to, 0);
                });
    }

    private boolean putDirectory(
            JobQueue.Job self,
            LocalPath source,
            LocalStatus status,
            DirOpArgs target,
            Optional<RemoteFile> replaced)
            throws IOException, InterruptedException {
        var to = targets.of(source);
        ParentDirectories.requireDepth(source.depth(), source.name().escaped());
        // List before making the directory: if the server is this machine, the target may lie in
        // its own source.
        var names = tree.list(source, "cannot list " + sources.of(source));
        if (rules.isTrial()) {
            return tryDirectory(self, source, status, names, target, replaced);
        }
        var kept = source(source, status);
        int mode = Modes.made(status.mode(), copier.umask());
        var filled = directories.make(target, copier.filling(mode), kept, to);
        extras.fills(filled.handle());
        var others = new HashMap<FileName, RemoteFile>();
        jobs.directory(
                self,
                isIncomplete -> {
                    if (!isIncomplete) {
                        extras.remove(filled.handle(), others, source, to);
                    }
                    directories.finish(target, filled, kept, mode, to);
                },
                directory -> {
                    var there =
                            filled.isNew()
                                    ? new HashMap<FileName, RemoteFile>()
                                    : remote.sweep(filled.handle(), to, self.names());
                    fill(directory, source, names, filled.handle(), there, others);
                });
        return true;
    }

    /** Finds out what would happen to a directory, which is not made. */
    private boolean tryDirectory(
            JobQueue.Job self,
            LocalPath source,
            LocalStatus status,
            List<FileName> names,
            DirOpArgs target,
            Optional<RemoteFile> replaced)
            throws IOException, InterruptedException {
        var to = targets.of(source);
        var found =
                target == null || replaced.isEmpty()
                        ? Optional.<RemoteFile>empty()
                        : mount.find(target, "cannot find " + to);
        if (found.isEmpty()) {
            copier.listener().planned(Step.MAKE_DIRECTORY, to, 0);
        } else if (!found.get().attributes().isDirectory()) {
            throw new NfsException("cannot make " + to, Status.NOTDIR);
        } else {
            if (copier.kept().attributes()) {
                var there = found.get();
                directories.plan(
                        comparison,
                        target,
                        there,
                        source(source, status),
                        traits.of(target, there, to),
                        to);
            }
            extras.fills(found.get().handle());
        }
        var handle = found.map(RemoteFile::handle).orElse(null);
        var others = new HashMap<FileName, RemoteFile>();
        jobs.directory(
                self,
                isIncomplete -> {
                    if (!isIncomplete && handle != null) {
                        extras.remove(handle, others, source, to);
                    }
                },
                directory -> {
                    var there =
                            handle == null
                                    ? new HashMap<FileName, RemoteFile>()
                                    : remote.list(handle, to, self.names(), false);
                    fill(directory, source, names, handle, there, others);
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
            LocalPath source,
            List<FileName> names,
            FileHandle target,
            Map<FileName, RemoteFile> there,
            Map<FileName, RemoteFile> others)
            throws IOException, InterruptedException {
        var to = targets.of(source);
        var listed = Set.copyOf(there.keySet());
        others.putAll(others(source, names, there));
        for (var each : FoldedNames.spellings(names, listed).entrySet()) {
            var found = mount.find(new DirOpArgs(target, each.getKey()), "cannot find " + to);
            if (found.isPresent()) {
                there.put(each.getKey(), found.get());
                each.getValue().forEach(others::remove);
            }
        }
        NameTurns.Search search =
                name ->
                        target != null
                                && mount.find(new DirOpArgs(target, name), "cannot find " + to)
                                        .isPresent();
        var turns = new NameTurns(names, listed, search, jobs::requeue);
        for (var name : names) {
            if (!TemporaryName.is(name)) {
                var place = target == null ? null : new DirOpArgs(target, name);
                addChild(directory, turns, source.child(name), place, there.get(name));
            }
        }
    }

    /** Returns the files of a target directory that are to be removed. */
    private Map<FileName, RemoteFile> others(
            LocalPath source, List<FileName> names, Map<FileName, RemoteFile> there)
            throws IOException {
        if (!rules.deletes()) {
            return Map.of();
        }
        var others = new HashMap<>(there);
        others.keySet().removeAll(Set.copyOf(names));
        others.entrySet()
                .removeIf(
                        each ->
                                TemporaryName.is(each.getKey())
                                        || !rules.wants(
                                                source.child(each.getKey()),
                                                depth,
                                                each.getValue().attributes().type()));
        if (names.isEmpty() && !others.isEmpty() && source.depth() == depth) {
            throw new IOException(
                    sources.of(source)
                            + " is empty: that would remove everything in "
                            + targets.of(source));
        }
        return others;
    }

    /** Returns what the copy of a file keeps. */
    private LocalSource source(LocalPath file, LocalStatus status) throws IOException {
        return new LocalSource(
                status,
                copier.kept().attributes()
                        ? tree.acls(file, "cannot read " + sources.of(file))
                        : ExtendedAcls.NONE);
    }

    private void addChild(
            JobQueue.Directory directory,
            NameTurns turns,
            LocalPath source,
            DirOpArgs target,
            RemoteFile replaced) {
        try {
            add(directory, turns, source, target, Optional.ofNullable(replaced));
        } catch (IOException ofOne) {
            jobs.failed(ofOne);
        }
    }
}
