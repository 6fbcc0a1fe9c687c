package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.CopyComparison.Need;
import io.github.rpcrdma4j.nfs.client.CopyListener.Step;
import io.github.rpcrdma4j.nfs.client.NfsMount.NamedFile;
import io.github.rpcrdma4j.nfs.client.NfsMount.RemoteFile;
import io.github.rpcrdma4j.nfs.client.local.LocalChanges;
import io.github.rpcrdma4j.nfs.client.local.LocalException;
import io.github.rpcrdma4j.nfs.client.local.LocalException.Reason;
import io.github.rpcrdma4j.nfs.client.local.LocalPath;
import io.github.rpcrdma4j.nfs.client.local.LocalStatus;
import io.github.rpcrdma4j.nfs.client.local.LocalTree;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.FileType;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Copies a directory tree from a server to this machine: each file in it becomes a job. One object
 * serves one copy.
 */
final class TreeGet {
    /**
     * The copy of a file of several names.
     *
     * @param source attributes of the file
     */
    private record Linked(LocalPath copy, FileAttributes source) {}

    private final Copier copier;
    private final NfsMount mount;
    private final LocalTree tree;
    private final LocalFiles local;
    private final ShownPath sources;
    private final ShownPath targets;
    private final CopyRules rules;
    private final Optional<MadeCopies> made;
    private final CopyComparison comparison;
    private final LocalExtras extras;

    /** By the numbers of file systems that hold copies. */
    private final Map<Long, NewFileTraits> traits = new ConcurrentHashMap<>();

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
        this.mount = copier.mount();
        this.tree = tree;
        this.local = copier.local(tree);
        this.sources = sources;
        this.targets = targets;
        this.rules = rules;
        this.made = made;
        this.comparison = new CopyComparison(copier, rules.comparison(), false);
        this.extras = new LocalExtras(tree, copier.listener(), jobs, targets, rules);
        this.depth = targets.depth();
        this.jobs = jobs;
        this.links = new HardLinks<>(jobs::requeue);
    }

    /** Adds the job of one file of any type. */
    void add(RemoteFile source, LocalPath target) {
        add(null, null, NameTurns.NONE, source, target);
    }

    private void add(
            JobQueue.Directory above,
            ParentDirectories parents,
            NameTurns turns,
            RemoteFile source,
            LocalPath target) {
        var work =
                turns.inTurn(
                        target.name(), () -> sources.of(target), work(parents, source, target));
        if (source.attributes().isDirectory()) {
            jobs.addDirectory(above, work);
        } else {
            jobs.addFile(above, work);
        }
    }

    private JobQueue.Work work(ParentDirectories parents, RemoteFile source, LocalPath target) {
        return switch (source.attributes().type()) {
            case REGULAR -> self -> get(self, source, target, this::getFile);
            case DIRECTORY -> self -> getDirectory(self, parents, source, target);
            case SYMBOLIC_LINK -> self -> get(self, source, target, this::getLink);
            case BLOCK_DEVICE, CHARACTER_DEVICE, SOCKET, FIFO ->
                    self -> get(self, source, target, this::getNode);
        };
    }

    /** Copies one file. */
    private interface Copying {
        void run(RemoteFile source, LocalPath target) throws IOException, InterruptedException;
    }

    /** Copies a file, unless its copy exists or that would replace a copy of another source. */
    private boolean get(JobQueue.Job self, RemoteFile source, LocalPath target, Copying copying)
            throws IOException, InterruptedException {
        if (rules.comparison() != CopyRules.Comparison.NONE && isThere(source, target)) {
            return true;
        }
        var to = targets.of(target);
        if (made.isPresent()) {
            made.get().requireNew(sources.of(target), to);
        }
        boolean isDone = true;
        if (rules.isTrial()) {
            var what = "cannot write " + to;
            LocalFiles.requireNoDirectory(tree.find(target, what), what);
            var attributes = source.attributes();
            boolean hasContents = attributes.type() == FileType.REGULAR;
            copier.listener().planned(Step.COPY, to, hasContents ? attributes.size() : 0);
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
            JobQueue.Job self, RemoteFile source, LocalPath target, String to, Copying copying)
            throws IOException, InterruptedException {
        if (!copier.kept().hardLinks()
                || Integer.compareUnsigned(source.attributes().links(), 2) < 0) {
            copying.run(source, target);
            return true;
        }
        return links.copyOrLink(
                source.handle(),
                self,
                () -> {
                    copying.run(source, target);
                    return new Linked(target, source.attributes());
                },
                linked -> {
                    if (!FileIdentity.isUnchanged(linked.source, source.attributes())) {
                        copying.run(source, target);
                        return;
                    }
                    local.link(linked.copy, target, to);
                    copier.listener().file(to, 0);
                });
    }

    /** Returns whether the copy of a file exists already. It then has its attributes. */
    private boolean isThere(RemoteFile source, LocalPath target)
            throws IOException, InterruptedException {
        var to = targets.of(target);
        var found = tree.find(target, "cannot find " + to);
        if (found.isEmpty() || found.get().type() != source.attributes().type()) {
            return false;
        }
        var there = found.get();
        boolean isPossible =
                switch (there.type()) {
                    case REGULAR -> comparison.isPossible(there, source.attributes());
                    case SYMBOLIC_LINK -> hasText(source, target, to);
                    case BLOCK_DEVICE, CHARACTER_DEVICE, SOCKET, FIFO ->
                            RemoteFiles.isSameNode(there, source.attributes());
                    case DIRECTORY -> false;
                };
        if (!isPossible) {
            return false;
        }
        var kept = copier.source(source, sources.of(target));
        var need = need(there, kept, target, to);
        if (need == Need.REPLACEMENT
                || there.type() == FileType.REGULAR && !isSame(source, target, there, to)) {
            return false;
        }
        if (need == Need.NOTHING) {
            copier.listener().unchanged(to);
        } else if (rules.isTrial()) {
            copier.listener().planned(Step.SET_ATTRIBUTES, to, 0);
        } else {
            local.keep(target, there, kept, to);
            copier.listener().unchanged(to);
        }
        return true;
    }

    private Need need(LocalStatus found, RemoteSource source, LocalPath target, String to)
            throws IOException, InterruptedException {
        if (!copier.kept().attributes()) {
            return Need.NOTHING;
        }
        var copy = new LocalSource(found, tree.acls(target, "cannot read " + to));
        return comparison.need(copy, source, () -> traits(target, found.device(), to));
    }

    /** Returns what a file system makes of new files; a trial makes none. */
    private NewFileTraits traits(LocalPath target, long device, String to) {
        return rules.isTrial()
                ? NewFileTraits.USUAL
                : traits.computeIfAbsent(device, _ -> local.traits(target, "cannot write " + to));
    }

    private boolean isSame(RemoteFile source, LocalPath target, LocalStatus found, String to)
            throws IOException, InterruptedException {
        return comparison.isSame(
                found,
                () -> tree.read(target, "cannot read " + to),
                source,
                "cannot read " + sources.of(target));
    }

    private boolean hasText(RemoteFile source, LocalPath target, String to)
            throws IOException, InterruptedException {
        var what = "cannot read the link " + sources.of(target);
        return tree.readLink(target, "cannot read the link " + to)
                .equals(mount.client().readLink(source.handle(), what));
    }

    private void getFile(RemoteFile source, LocalPath target)
            throws IOException, InterruptedException {
        var from = sources.of(target);
        // The listing may be outdated.
        var now =
                mount.client()
                        .call(new Nfs3Call.GetAttributes(source.handle()), "cannot read " + from);
        if (now.type() != source.attributes().type()) {
            throw new IOException(
                    "cannot read " + from + ": its type has changed since it was listed");
        }
        copier.get(local, new RemoteFile(source.handle(), now), from, target, targets.of(target));
    }

    private void getLink(RemoteFile source, LocalPath target)
            throws IOException, InterruptedException {
        var text =
                mount.client()
                        .readLink(source.handle(), "cannot read the link " + sources.of(target));
        local.getLink(text, source.attributes(), target, targets.of(target));
        copier.listener().file(targets.of(target), 0);
    }

    private void getNode(RemoteFile source, LocalPath target)
            throws IOException, InterruptedException {
        var kept = copier.source(source, sources.of(target));
        local.getNode(kept, target, targets.of(target));
        copier.listener().file(targets.of(target), 0);
    }

    private boolean getDirectory(
            JobQueue.Job self, ParentDirectories parents, RemoteFile source, LocalPath target)
            throws IOException, InterruptedException {
        var from = sources.of(target);
        var to = targets.of(target);
        ParentDirectories.requireNoCycle(parents, source.handle(), from);
        // List before making the directory: if the server is this machine, the target may lie in
        // its own source.
        var children = mount.list(source.handle(), from, self.names());
        if (rules.isTrial()) {
            return tryDirectory(self, parents, source, children, target);
        }
        var kept = copier.source(source, from);
        int mode = Modes.made(source.attributes().mode(), copier.umask());
        boolean isNew = makeDirectory(target, copier.filling(mode), to);
        var made = tree.status(target, "cannot make " + to);
        if (copier.kept().attributes()) {
            if (isNew) {
                local.requireEmpty(target, made, "cannot make " + to);
            } else {
                local.narrow(target, made, kept, to);
            }
        }
        extras.fills(target);
        var others = new HashMap<LocalPath, LocalStatus>();
        jobs.directory(
                self,
                isIncomplete -> {
                    if (!isIncomplete) {
                        extras.remove(target, made, others);
                    }
                    finish(target, made, kept, isNew, mode);
                },
                directory -> {
                    if (!isNew) {
                        local.sweep(target, to);
                        others.putAll(others(children, target, made, from));
                    }
                    addAll(directory, parents, source, children, target);
                });
        return true;
    }

    /** Finds out what would happen to a directory, which is not made. */
    private boolean tryDirectory(
            JobQueue.Job self,
            ParentDirectories parents,
            RemoteFile source,
            List<NamedFile> children,
            LocalPath target)
            throws IOException, InterruptedException {
        var to = targets.of(target);
        boolean isThere = isDirectoryThere(target, "cannot make " + to);
        var found = isThere ? tree.status(target, "cannot find " + to) : null;
        if (isThere) {
            extras.fills(target);
            var kept = copier.source(source, sources.of(target));
            if (need(found, kept, target, to) != Need.NOTHING) {
                copier.listener().planned(Step.SET_ATTRIBUTES, to, 0);
            }
        } else {
            copier.listener().planned(Step.MAKE_DIRECTORY, to, 0);
        }
        var others = new HashMap<LocalPath, LocalStatus>();
        jobs.directory(
                self,
                isIncomplete -> {
                    if (!isIncomplete && isThere) {
                        extras.remove(target, found, others);
                    }
                },
                directory -> {
                    if (isThere) {
                        others.putAll(others(children, target, found, sources.of(target)));
                    }
                    addAll(directory, parents, source, children, target);
                });
        return true;
    }

    private void addAll(
            JobQueue.Directory directory,
            ParentDirectories parents,
            RemoteFile source,
            List<NamedFile> children,
            LocalPath target)
            throws IOException {
        var childParents = new ParentDirectories(source.handle(), target.name().escaped(), parents);
        var turns = turns(children, target);
        for (var child : children) {
            var copy = target.child(child.name());
            if (!TemporaryName.is(child.name())
                    && rules.wants(copy, depth, child.attributes().type())) {
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
    private NameTurns turns(List<NamedFile> children, LocalPath target) throws IOException {
        var names = children.stream().map(NamedFile::name).toList();
        if (FoldedNames.groups(names, Set.of()).isEmpty()) {
            return NameTurns.NONE;
        }
        var what = "cannot list " + targets.of(target);
        var listed =
                tree.find(target, what).isPresent()
                        ? Set.copyOf(tree.list(target, what))
                        : Set.<FileName>of();
        NameTurns.Search search = name -> tree.find(target.child(name), what).isPresent();
        return new NameTurns(names, listed, search, jobs::requeue);
    }

    /** Returns the files of a target directory that are to be removed. */
    private Map<LocalPath, LocalStatus> others(
            List<NamedFile> children, LocalPath target, LocalStatus found, String from)
            throws IOException {
        if (!rules.deletes()) {
            return Map.of();
        }
        var what = "cannot list " + targets.of(target);
        try (var in = tree.below(target, found, what)) {
            return others(children, target, in, from);
        }
    }

    /**
     * Returns these files.
     *
     * @param in the directory as a tree of its own
     */
    private Map<LocalPath, LocalStatus> others(
            List<NamedFile> children, LocalPath target, LocalTree in, String from)
            throws IOException {
        var what = "cannot list " + targets.of(target);
        var names = children.stream().map(NamedFile::name).collect(Collectors.toSet());
        var listed = Set.copyOf(in.list(LocalPath.ROOT, what));
        var left = new HashSet<FileName>();
        for (var each : FoldedNames.spellings(names, listed).entrySet()) {
            if (in.find(LocalPath.ROOT.child(each.getKey()), what).isPresent()) {
                left.addAll(each.getValue());
            }
        }
        var others = new HashMap<LocalPath, LocalStatus>();
        for (var name : listed) {
            var file = target.child(name);
            if (!names.contains(name) && !left.contains(name) && !TemporaryName.is(name)) {
                var status = in.find(LocalPath.ROOT.child(name), "cannot find " + targets.of(file));
                if (status.isPresent() && rules.wants(file, depth, status.get().type())) {
                    others.put(file, status.get());
                }
            }
        }
        if (children.isEmpty() && !others.isEmpty() && target.depth() == depth) {
            throw new IOException(
                    from + " is empty: that would remove everything in " + targets.of(target));
        }
        return others;
    }

    /** Makes the target directory if it does not exist; returns whether it is new. */
    private boolean makeDirectory(LocalPath target, int mode, String name) throws IOException {
        var what = "cannot make " + name;
        if (isDirectoryThere(target, what)) {
            return false;
        }
        tree.makeDirectory(target, mode, what);
        return true;
    }

    private boolean isDirectoryThere(LocalPath target, String what) throws IOException {
        var there = tree.find(target, what);
        if (there.isPresent() && !there.get().isDirectory()) {
            throw new LocalException(what, Reason.NOT_A_DIRECTORY);
        }
        return there.isPresent();
    }

    private void finish(
            LocalPath target, LocalStatus made, RemoteSource source, boolean isNew, int mode)
            throws IOException, InterruptedException {
        var name = targets.of(target);
        if (copier.kept().attributes()) {
            local.keep(target, made, source, name);
        } else if (isNew && (~mode & Modes.FILLING_DIRECTORY) != 0) {
            var what = "cannot set the permissions of " + name;
            int now = tree.status(target, what).mode();
            tree.change(target, made, LocalChanges.ofMode(Modes.ofDirectory(mode, now)), what);
        }
    }
}
