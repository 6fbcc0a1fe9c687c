package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.local.ExtendedAcls;
import io.github.rpcrdma4j.nfs.client.local.LocalPath;
import io.github.rpcrdma4j.nfs.client.local.LocalStatus;
import io.github.rpcrdma4j.nfs.client.local.LocalTree;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Copies a local directory tree to a server: each file in it becomes a job. One object serves one
 * copy.
 */
final class TreePut {
    /** Identifies a file of this machine. */
    private record Identity(long device, long inode) {}

    private final Copier copier;
    private final RemoteFiles remote;
    private final RemoteDirectories directories;
    private final LocalTree tree;
    private final ShownPath sources;
    private final ShownPath targets;
    private final Predicate<FileName> wanted;
    private final CopyQueue jobs;
    private final HardLinks<Identity, FileHandle> links;

    /**
     * Creates the copy of a tree.
     *
     * @param sources shows paths of sources in messages
     * @param targets shows paths of targets in messages
     */
    TreePut(
            Copier copier,
            LocalTree tree,
            ShownPath sources,
            ShownPath targets,
            Predicate<FileName> wanted,
            CopyQueue jobs) {
        this.copier = copier;
        this.remote = copier.remote();
        this.directories = new RemoteDirectories(copier);
        this.tree = tree;
        this.sources = sources;
        this.targets = targets;
        this.wanted = wanted;
        this.jobs = jobs;
        this.links = new HardLinks<>(jobs::requeue);
    }

    /** Adds the job of one file of any type. */
    void add(
            CopyQueue.Directory above,
            LocalPath source,
            DirOpArgs target,
            Optional<FileAttributes> replaced)
            throws IOException {
        var status = tree.status(source, "cannot read " + sources.of(source));
        switch (status.type()) {
            case REGULAR -> jobs.addFile(above, self -> putFile(self, source, target, replaced));
            case DIRECTORY ->
                    jobs.addDirectory(above, self -> putDirectory(self, source, status, target));
            case SYMBOLIC_LINK ->
                    jobs.addFile(above, self -> putLink(self, source, status, target));
            case BLOCK_DEVICE, CHARACTER_DEVICE, SOCKET, FIFO ->
                    jobs.addFile(above, self -> putNode(self, source, status, target));
        }
    }

    private boolean putFile(
            CopyQueue.Job self,
            LocalPath source,
            DirOpArgs target,
            Optional<FileAttributes> replaced)
            throws IOException, InterruptedException {
        var from = sources.of(source);
        try (var file = tree.read(source, "cannot read " + from)) {
            var status = file.status();
            var to = targets.of(source);
            return put(
                    self,
                    status,
                    target,
                    to,
                    () -> copier.put(file, status, target, replaced, from, to));
        }
    }

    private boolean putLink(
            CopyQueue.Job self, LocalPath source, LocalStatus status, DirOpArgs target)
            throws IOException, InterruptedException {
        var to = targets.of(source);
        return put(
                self,
                status,
                target,
                to,
                () -> {
                    var text = tree.readLink(source, "cannot read the link " + sources.of(source));
                    var copy = remote.putLink(text, status, target, to);
                    copier.listener().file(to, 0);
                    return copy;
                });
    }

    private boolean putNode(
            CopyQueue.Job self, LocalPath source, LocalStatus status, DirOpArgs target)
            throws IOException, InterruptedException {
        var to = targets.of(source);
        return put(
                self,
                status,
                target,
                to,
                () -> {
                    var copy = remote.putNode(source(source, status), target, to);
                    copier.listener().file(to, 0);
                    return copy;
                });
    }

    /** Copies a file, or links the target to the copy made under another name of the file. */
    private boolean put(
            CopyQueue.Job self,
            LocalStatus status,
            DirOpArgs target,
            String to,
            HardLinks.Copying<FileHandle> copying)
            throws IOException, InterruptedException {
        if (!copier.kept().hardLinks() || status.links() < 2) {
            copying.run();
            return true;
        }
        var identity = new Identity(status.device(), status.inode());
        return links.copyOrLink(
                identity,
                self,
                copying,
                copy -> {
                    remote.link(copy, target, to);
                    copier.listener().file(to, 0);
                });
    }

    private boolean putDirectory(
            CopyQueue.Job self, LocalPath source, LocalStatus status, DirOpArgs target)
            throws IOException, InterruptedException {
        var to = targets.of(source);
        ParentDirectories.requireDepth(source.depth(), source.name().escaped());
        // List before making the directory: if the server is this machine, the target may lie in
        // its own source.
        var names = tree.list(source, "cannot list " + sources.of(source));
        var kept = source(source, status);
        int mode = Modes.made(status.mode(), copier.umask());
        var made = directories.make(target, copier.filling(mode), to);
        var directory = jobs.begin(self, _ -> directories.finish(target, made, kept, mode, to));
        boolean isComplete = false;
        try {
            Map<FileName, FileAttributes> there =
                    made.isNew() ? Map.of() : remote.sweep(made.handle(), to, self.names());
            for (var name : names) {
                if (wanted.test(name) && !TemporaryName.is(name)) {
                    addChild(
                            directory,
                            source.child(name),
                            new DirOpArgs(made.handle(), name),
                            there);
                }
            }
            isComplete = true;
        } finally {
            jobs.listed(directory, isComplete);
        }
        return true;
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
            CopyQueue.Directory directory,
            LocalPath source,
            DirOpArgs target,
            Map<FileName, FileAttributes> there) {
        try {
            add(directory, source, target, Optional.ofNullable(there.get(target.name())));
        } catch (IOException ofOne) {
            jobs.failed(ofOne);
        }
    }
}
