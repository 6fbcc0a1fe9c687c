package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.local.LocalChanges;
import io.github.rpcrdma4j.nfs.client.local.LocalException;
import io.github.rpcrdma4j.nfs.client.local.LocalException.Reason;
import io.github.rpcrdma4j.nfs.client.local.LocalFile;
import io.github.rpcrdma4j.nfs.client.local.LocalPath;
import io.github.rpcrdma4j.nfs.client.local.LocalStatus;
import io.github.rpcrdma4j.nfs.client.local.LocalTree;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import java.io.IOException;
import java.util.Optional;

/**
 * Makes files of this machine, under a temporary name and with permissions for their owner alone
 * until they are complete. Thread-safe.
 */
final class LocalFiles {
    private final LocalTree tree;
    private final Kept kept;
    private final KeptAttributes attributes;
    private final int umask;

    /**
     * @param umask what a new file does not get
     */
    LocalFiles(LocalTree tree, Kept kept, KeptAttributes attributes, int umask) {
        this.tree = tree;
        this.kept = kept;
        this.attributes = attributes;
        this.umask = umask;
    }

    /** Fills a file that is there. */
    interface Filling {
        void fill(LocalFile file) throws IOException, InterruptedException;
    }

    /**
     * Makes a regular file, in place of what is there but a folder.
     *
     * @param name for messages
     */
    void get(FileAttributes source, LocalPath target, String name, Filling filling)
            throws IOException, InterruptedException {
        var what = "cannot write " + name;
        var replaced = tree.find(target, what);
        requireNoFolder(replaced, what);
        var part = part(target);
        boolean complete = false;
        try {
            try (var file = tree.create(part, Modes.FILLING_FILE, what)) {
                filling.fill(file);
                finish(file, source, replaced, name);
                file.finish();
            }
            tree.rename(part, target, what);
            complete = true;
        } finally {
            if (!complete) {
                discard(part);
            }
        }
    }

    private static LocalPath part(LocalPath target) {
        return target.folder().child(TemporaryName.of(target.name(), RunningProcess.current()));
    }

    private static void requireNoFolder(Optional<LocalStatus> there, String what)
            throws LocalException {
        if (there.isPresent() && there.get().isDirectory()) {
            throw new LocalException(what, Reason.IS_A_FOLDER);
        }
    }

    private void finish(
            LocalFile file, FileAttributes source, Optional<LocalStatus> replaced, String name)
            throws IOException, InterruptedException {
        if (kept.attributes()) {
            attributes.keep(file::change, source, name);
            return;
        }
        boolean inPlace = replaced.isPresent() && replaced.get().type() == source.type();
        int mode = Modes.made(source.mode(), umask);
        if (inPlace) {
            mode = Modes.replacing(replaced.get().mode(), source.mode());
            boolean hasGroup = replaced.get().gid() == file.status().gid();
            mode = hasGroup ? mode : Modes.withoutGroup(mode);
        }
        if (mode != Modes.FILLING_FILE) {
            file.change(LocalChanges.ofMode(mode));
        }
    }

    private void discard(LocalPath part) {
        try {
            tree.remove(part, "cannot remove " + part.name().escaped());
        } catch (IOException _) {
            // The failure that led here is the one to tell; the next copy sweeps.
        }
    }

    /** Makes a symbolic link, in place of what is there but a folder. */
    void getLink(PathName text, FileAttributes source, LocalPath target, String name)
            throws IOException, InterruptedException {
        var what = "cannot make the link " + name;
        make(target, what, path -> tree.makeLink(path, text, what), Optional.of(source), name);
    }

    /** Makes a FIFO, socket or device, in place of what is there but a folder. */
    void getNode(FileAttributes source, LocalPath target, String name)
            throws IOException, InterruptedException {
        var what = "cannot make the " + RemoteFiles.words(source.type()) + " " + name;
        int mode = Modes.made(source.mode(), umask);
        int major = (int) (source.device() >>> Integer.SIZE);
        make(
                target,
                what,
                path ->
                        tree.makeNode(
                                path, source.type(), mode, major, (int) source.device(), what),
                Optional.of(source),
                name);
    }

    /** Gives a file that was copied another name, in place of what is there but a folder. */
    void link(LocalPath copy, LocalPath target, String name)
            throws IOException, InterruptedException {
        var what = "cannot make the hard link " + name;
        var there = tree.find(target, what);
        if (there.isPresent()) {
            var same = tree.status(copy, what);
            if (same.inode() == there.get().inode() && same.device() == there.get().device()) {
                return;
            }
        }
        make(target, what, path -> tree.link(copy, path, what), Optional.empty(), name);
    }

    private interface Making {
        void at(LocalPath path) throws IOException;
    }

    private void make(
            LocalPath target,
            String what,
            Making making,
            Optional<FileAttributes> source,
            String name)
            throws IOException, InterruptedException {
        requireNoFolder(tree.find(target, what), what);
        var part = part(target);
        boolean complete = false;
        try {
            making.at(part);
            if (kept.attributes() && source.isPresent()) {
                attributes.keep(
                        changes -> tree.change(part, source.get().type(), changes, what),
                        source.get(),
                        name);
            }
            tree.rename(part, target, what);
            complete = true;
        } finally {
            if (!complete) {
                discard(part);
            }
        }
    }

    /**
     * Removes what earlier copies that have ended left in a folder.
     *
     * @param path of the folder, for messages
     */
    void sweep(LocalPath folder, String path) throws IOException {
        for (var name : tree.list(folder, "cannot list " + path)) {
            var maker = TemporaryName.maker(name);
            if (maker.isPresent() && maker.get().state() == RunningProcess.State.ENDED) {
                discard(folder.child(name));
            }
        }
    }
}
