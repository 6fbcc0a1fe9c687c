package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.NfsMount.RemoteFile;
import io.github.rpcrdma4j.nfs.client.local.LocalChanges;
import io.github.rpcrdma4j.nfs.client.local.LocalException;
import io.github.rpcrdma4j.nfs.client.local.LocalException.Reason;
import io.github.rpcrdma4j.nfs.client.local.LocalPath;
import io.github.rpcrdma4j.nfs.client.local.LocalTree;
import io.github.rpcrdma4j.nfs.v3.FileType;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import java.io.IOException;
import java.util.function.Predicate;

/**
 * Copies a directory tree from a server to this machine: each file in it becomes a job. One object
 * serves one copy.
 */
final class TreeGet {
    /** Identifies a file of the server. */
    private record Identity(long fileSystem, long file) {}

    private final Copier copier;
    private final NfsMount mount;
    private final LocalTree tree;
    private final LocalFiles local;
    private final ShownPath sources;
    private final ShownPath targets;
    private final Predicate<FileName> wanted;
    private final CopyQueue jobs;
    private final HardLinks<Identity, LocalPath> links;

    /**
     * Creates the copy of a tree.
     *
     * @param tree the local tree that receives the copy
     * @param sources shows paths of sources in messages
     * @param targets shows paths of targets in messages
     */
    TreeGet(
            Copier copier,
            LocalTree tree,
            ShownPath sources,
            ShownPath targets,
            Predicate<FileName> wanted,
            CopyQueue jobs) {
        this.copier = copier;
        this.mount = copier.mount();
        this.tree = tree;
        this.local = copier.local(tree);
        this.sources = sources;
        this.targets = targets;
        this.wanted = wanted;
        this.jobs = jobs;
        this.links = new HardLinks<>(jobs::requeue);
    }

    /** Adds the job of one file of any type. */
    void add(RemoteFile source, LocalPath target) {
        add(null, null, source, target);
    }

    private void add(
            CopyQueue.Directory above,
            ParentDirectories parents,
            RemoteFile source,
            LocalPath target) {
        switch (source.attributes().type()) {
            case REGULAR -> jobs.addFile(above, self -> get(self, source, target, this::getFile));
            case DIRECTORY ->
                    jobs.addDirectory(above, self -> getDirectory(self, parents, source, target));
            case SYMBOLIC_LINK ->
                    jobs.addFile(above, self -> get(self, source, target, this::getLink));
            case BLOCK_DEVICE, CHARACTER_DEVICE, SOCKET, FIFO ->
                    jobs.addFile(above, self -> get(self, source, target, this::getNode));
        }
    }

    /** Copies one file. */
    private interface Copying {
        void run(RemoteFile source, LocalPath target) throws IOException, InterruptedException;
    }

    /** Copies a file, or links the target to the copy made under another name of the file. */
    private boolean get(CopyQueue.Job self, RemoteFile source, LocalPath target, Copying copying)
            throws IOException, InterruptedException {
        if (!copier.kept().hardLinks()
                || Integer.compareUnsigned(source.attributes().links(), 2) < 0) {
            copying.run(source, target);
            return true;
        }
        var identity =
                new Identity(source.attributes().fileSystemId(), source.attributes().fileId());
        return links.copyOrLink(
                identity,
                self,
                () -> {
                    copying.run(source, target);
                    return target;
                },
                copy -> {
                    var to = targets.of(target);
                    local.link(copy, target, to);
                    copier.listener().file(to, 0);
                });
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
            CopyQueue.Job self, ParentDirectories parents, RemoteFile source, LocalPath target)
            throws IOException, InterruptedException {
        var from = sources.of(target);
        var to = targets.of(target);
        ParentDirectories.requireNoCycle(parents, source.handle(), from);
        // List before making the directory: if the server is this machine, the target may lie in
        // its own source.
        var children = mount.list(source.handle(), from, self.names());
        var kept = copier.source(source, from);
        int mode = Modes.made(source.attributes().mode(), copier.umask());
        boolean isNew = makeDirectory(target, copier.filling(mode), to);
        var directory = jobs.begin(self, _ -> finish(target, kept, isNew, mode, to));
        boolean isComplete = false;
        try {
            if (!isNew) {
                local.sweep(target, to);
            }
            var childParents =
                    new ParentDirectories(source.handle(), target.name().escaped(), parents);
            for (var child : children) {
                if (wanted.test(child.name()) && !TemporaryName.is(child.name())) {
                    add(
                            directory,
                            childParents,
                            new RemoteFile(child.handle(), child.attributes()),
                            target.child(child.name()));
                }
            }
            isComplete = true;
        } finally {
            jobs.listed(directory, isComplete);
        }
        return true;
    }

    /** Makes the target directory if it does not exist; returns whether it is new. */
    private boolean makeDirectory(LocalPath target, int mode, String name) throws IOException {
        var what = "cannot make " + name;
        var there = tree.find(target, what);
        if (there.isEmpty()) {
            tree.makeDirectory(target, mode, what);
            return true;
        }
        if (!there.get().isDirectory()) {
            throw new LocalException(what, Reason.NOT_A_DIRECTORY);
        }
        return false;
    }

    private void finish(LocalPath target, RemoteSource source, boolean isNew, int mode, String name)
            throws IOException, InterruptedException {
        if (copier.kept().attributes()) {
            local.keep(target, source, name);
        } else if (isNew && (~mode & Modes.FILLING_DIRECTORY) != 0) {
            var what = "cannot set the permissions of " + name;
            int now = tree.status(target, what).mode();
            tree.change(
                    target,
                    FileType.DIRECTORY,
                    LocalChanges.ofMode(Modes.ofDirectory(mode, now)),
                    what);
        }
    }
}
