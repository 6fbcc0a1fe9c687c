package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.ParentDirectories;
import io.github.rpcrdma4j.nfs.client.file.Modes;
import io.github.rpcrdma4j.nfs.client.service.DirectoryPage.Wanted;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.FileIdentity;
import io.github.rpcrdma4j.nfs.client.service.NamedFile;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Copies a directory tree of a server to another place on it: each file in it becomes a job. One
 * object serves one copy.
 *
 * <p>Tests: {@code FileCommandsTest}, {@code NarrowedSourcesTest}.
 */
final class TreeCopy {
    /**
     * A file to copy.
     *
     * @param parents the directories that lead to it; null for the top
     * @param name of the file; its whole path for the top
     * @param target its new place
     * @param replaced attributes of the existing file there
     */
    private record Entry(
            ParentDirectories parents,
            String name,
            RemoteFile file,
            RemotePlace target,
            Optional<FileAttributes> replaced) {
        String from() {
            return ParentDirectories.path(parents, name);
        }
    }

    /**
     * The copy of a file of several names.
     *
     * @param source attributes of the file
     */
    private record Linked(FileHandle copy, FileAttributes source) {}

    /** Copies a file and returns the handle of the copy. */
    private interface Copying {
        FileHandle run() throws IOException, InterruptedException;
    }

    private final Copier copier;
    private final NfsMount mount;
    private final RemoteFiles remote;
    private final RemoteDirectories directories;
    private final String source;
    private final String target;
    private final JobQueue jobs;
    private final HardLinks<FileHandle, Linked> links;

    /** The copy of the top, which may lie below the top itself; set before anything in it. */
    private volatile FileHandle top;

    /**
     * Creates the copy of a tree.
     *
     * @param source path of the top, for messages
     * @param target path of its copy, for messages
     */
    TreeCopy(Copier copier, String source, String target, JobQueue jobs) {
        this.copier = copier;
        this.mount = copier.context().mount();
        this.remote = copier.remote();
        this.directories = new RemoteDirectories(copier.remote());
        this.source = source;
        this.target = target;
        this.jobs = jobs;
        this.links = new HardLinks<>(jobs::requeue);
    }

    /** Adds the job of the top, a file of any type. */
    void add(RemoteFile file, RemotePlace place, Optional<FileAttributes> replaced) {
        add(null, NameTurns.NONE, new Entry(null, source, file, place, replaced));
    }

    private void add(JobQueue.Directory above, NameTurns turns, Entry entry) {
        var work = turns.inTurn(entry.target.name(), entry::from, work(entry));
        if (entry.file.attributes().isDirectory()) {
            jobs.addDirectory(above, work);
        } else {
            jobs.addFile(above, work);
        }
    }

    private JobQueue.Work work(Entry entry) {
        return switch (entry.file.attributes().type()) {
            case REGULAR -> self -> copy(self, entry, () -> copyFile(entry));
            case DIRECTORY -> self -> copyDirectory(self, entry);
            case SYMBOLIC_LINK -> self -> copy(self, entry, () -> copyLink(entry));
            case BLOCK_DEVICE, CHARACTER_DEVICE, SOCKET, FIFO ->
                    self -> copy(self, entry, () -> copyNode(entry));
        };
    }

    /** Returns the path of the copy, for messages. Below the tops both paths are the same. */
    private String to(Entry entry) {
        return target + entry.from().substring(source.length());
    }

    /** Copies a file, or links its name to the copy made under another name of the file. */
    private boolean copy(JobQueue.Job self, Entry entry, Copying copying)
            throws IOException, InterruptedException {
        var attributes = entry.file.attributes();
        if (!copier.context().kept().hardLinks()
                || Integer.compareUnsigned(attributes.links(), 2) < 0) {
            copying.run();
            return true;
        }
        return links.copyOrLink(
                entry.file.handle(),
                self,
                () -> new Linked(copying.run(), attributes),
                linked -> {
                    if (!FileIdentity.isUnchanged(linked.source, attributes)) {
                        copying.run();
                        return;
                    }
                    remote.link(linked.copy, entry.target, to(entry));
                    copier.context().listener().file(to(entry), 0);
                });
    }

    private FileHandle copyFile(Entry entry) throws IOException, InterruptedException {
        var from = entry.from();
        var now = ServerCopy.now(copier.context(), entry.file, from);
        return copier.copy(now, from, entry.target, entry.replaced, to(entry));
    }

    private FileHandle copyLink(Entry entry) throws IOException, InterruptedException {
        var what = "cannot read the link " + entry.from();
        var text = mount.service().readLink(entry.file.handle(), what);
        var status = RemoteSource.status(entry.file.attributes());
        var copy = new RemoteNodes(copier.remote()).putLink(text, status, entry.target, to(entry));
        copier.context().listener().file(to(entry), 0);
        return copy;
    }

    private FileHandle copyNode(Entry entry) throws IOException, InterruptedException {
        var copy = new RemoteNodes(copier.remote()).putNode(kept(entry), entry.target, to(entry));
        copier.context().listener().file(to(entry), 0);
        return copy;
    }

    /** Returns what the copy of a file keeps. The listing may be outdated. */
    private LocalSource kept(Entry entry) throws IOException, InterruptedException {
        var from = entry.from();
        return copier.context()
                .source(ServerCopy.now(copier.context(), entry.file, from), from)
                .asLocal();
    }

    private boolean copyDirectory(JobQueue.Job self, Entry entry)
            throws IOException, InterruptedException {
        var from = entry.from();
        var to = to(entry);
        var handle = entry.file.handle();
        ParentDirectories.requireNoCycle(entry.parents, handle, from);
        if (handle.equals(top)) {
            throw new IOException("cannot copy " + from + " into itself");
        }
        var children = mount.list(handle, Wanted.ALL, from, self.names());
        var kept = kept(entry);
        int mode = Modes.made(kept.status().mode(), copier.context().umask());
        var made = directories.make(entry.target, copier.context().filling(mode), kept, to);
        if (entry.parents == null) {
            top = made.handle();
        }
        jobs.directory(
                self,
                _ -> directories.finish(entry.target, made, kept, mode, to),
                directory -> {
                    Map<FileName, RemoteFile> there =
                            made.isNew() ? Map.of() : remote.sweep(made.handle(), to, self.names());
                    addAll(directory, entry, children, made.handle(), there);
                });
        return true;
    }

    private void addAll(
            JobQueue.Directory directory,
            Entry entry,
            List<NamedFile> children,
            FileHandle made,
            Map<FileName, RemoteFile> there) {
        var parents = new ParentDirectories(entry.file.handle(), entry.name, entry.parents);
        var turns =
                new NameTurns(
                        children.stream().map(NamedFile::name).toList(),
                        there.keySet(),
                        name ->
                                mount.service()
                                        .find(new RemotePlace(made, name), to(entry))
                                        .isPresent(),
                        jobs::requeue);
        for (var child : children) {
            if (!TemporaryName.is(child.name())) {
                add(
                        directory,
                        turns,
                        new Entry(
                                parents,
                                child.name().escaped(),
                                new RemoteFile(child.handle(), child.attributes()),
                                new RemotePlace(made, child.name()),
                                Optional.ofNullable(there.get(child.name()))
                                        .map(RemoteFile::attributes)));
            }
        }
    }
}
