package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.client.NfsMount.RemoteFile;
import io.github.rpcrdma4j.nfs.client.local.LocalException;
import io.github.rpcrdma4j.nfs.client.local.LocalFile;
import io.github.rpcrdma4j.nfs.client.local.LocalPath;
import io.github.rpcrdma4j.nfs.client.local.LocalStatus;
import io.github.rpcrdma4j.nfs.client.local.LocalTree;
import io.github.rpcrdma4j.nfs.v3.FileType;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import java.io.IOException;

/**
 * Copies a large file from a server, and goes on where an earlier copy ended, under the conditions
 * of {@link ResumedPut}.
 */
final class ResumedGet {
    private static final int PERMISSIONS = 07777;

    private final LocalFiles local;
    private final Copier copier;
    private final LocalTree tree;
    private final RemoteFile source;
    private final RemoteSource kept;
    private final LocalPath target;
    private final String from;
    private final String to;
    private final String what;
    private final boolean hasHoles;
    private final Checkpoint start;

    /** The incomplete file. */
    private LocalPath place;

    private LocalFile file;
    private Checkpoint reached;

    /**
     * Prepares a copy.
     *
     * @param from the source, for messages
     * @param to the target, for messages
     * @param hasHoles whether the source has holes
     */
    ResumedGet(
            LocalFiles local,
            RemoteFile source,
            RemoteSource kept,
            LocalPath target,
            String from,
            String to,
            boolean hasHoles) {
        this.local = local;
        this.copier = local.copier();
        this.tree = local.tree();
        this.source = source;
        this.kept = kept;
        this.target = target;
        this.from = from;
        this.to = to;
        this.what = "cannot write " + to;
        this.hasHoles = hasHoles;
        this.start = Checkpoint.start(target.name(), source);
        this.reached = start;
    }

    /** Copies the file. */
    void run() throws IOException, InterruptedException {
        var replaced = tree.find(target, what);
        LocalFiles.requireNoDirectory(replaced, what);
        place = temporary(start);
        boolean isComplete = false;
        boolean isUseful = true;
        file = tree.create(place, Modes.FILLING_FILE, what);
        try {
            resume();
            fill();
            isUseful = isUnchanged();
            if (!isUseful) {
                throw new IOException("cannot read " + from + ": it changed while it was copied");
            }
            local.finish(file, kept, replaced, to);
            file.finish();
            tree.rename(place, target, what);
            isComplete = true;
        } finally {
            file.close();
            if (!isComplete) {
                leave(isUseful);
            }
        }
    }

    /** Keeps the incomplete file for a later copy, or removes it. */
    private void leave(boolean isUseful) {
        if (isUseful && reached.done() > 0) {
            copier.leftovers().countResumable();
        } else {
            local.discard(place);
        }
    }

    private boolean isUnchanged() throws IOException, InterruptedException {
        var now =
                copier.client()
                        .call(new Nfs3Call.GetAttributes(source.handle()), "cannot read " + from);
        return Checkpoint.start(target.name(), new RemoteFile(source.handle(), now)).equals(start);
    }

    private LocalPath temporary(Checkpoint checkpoint) {
        var name = TemporaryName.of(target.name(), RunningProcess.current(), checkpoint);
        return target.directory().child(name);
    }

    private void fill() throws IOException, InterruptedException {
        long size = source.attributes().size();
        var get = new FileGet(copier, source, "cannot read " + from, FileGet.into(file, hasHoles));
        while (reached.done() < size) {
            long end = Math.min(reached.done() + Checkpoint.INTERVAL, size);
            get.run(copier.outstanding(), reached.done(), end);
            if (hasHoles) {
                file.resize(end);
            }
            if (end < size) {
                file.sync();
                var next = temporary(reached.at(end));
                tree.rename(place, next, what);
                place = next;
            }
            reached = reached.at(end);
        }
    }

    /** Takes over the incomplete file of an earlier copy, if there is one. */
    private void resume() throws IOException {
        var own = file.status();
        for (var name : tree.list(target.directory(), what)) {
            var older = TemporaryName.checkpoint(name);
            boolean isPossible =
                    older.isPresent()
                            && start.canContinue(older.get(), source.attributes().size())
                            && TemporaryName.maker(name).orElseThrow().state()
                                    == RunningProcess.State.ENDED;
            if (isPossible && takesOver(target.directory().child(name), older.get(), own)) {
                return;
            }
        }
    }

    private boolean takesOver(LocalPath older, Checkpoint checkpoint, LocalStatus own)
            throws IOException {
        var taken = temporary(checkpoint);
        LocalFile opened;
        try {
            if (!isOurs(tree.status(older, what), own, checkpoint)) {
                return false;
            }
            opened = tree.reopen(older, what);
        } catch (LocalException _) {
            // It is gone, or this system cannot open it safely.
            return false;
        }
        try {
            // Another copy may take it at the same time: one of them finds nothing to rename.
            tree.rename(older, taken, what);
            if (!isOurs(opened.status(), own, checkpoint)
                    || opened.status().inode() != tree.status(taken, what).inode()) {
                throw new LocalException(what, LocalException.Reason.OTHER);
            }
            // What was written behind the checkpoint may be incomplete.
            opened.resize(checkpoint.done());
        } catch (LocalException _) {
            opened.close();
            local.discard(taken);
            return false;
        }
        file.close();
        local.discard(place);
        file = opened;
        place = taken;
        reached = checkpoint;
        copier.listener().resumed(checkpoint.done());
        return true;
    }

    /** Returns whether a file is one that this user made, and that only this user may write. */
    private static boolean isOurs(LocalStatus file, LocalStatus own, Checkpoint checkpoint) {
        return file.type() == FileType.REGULAR
                && (file.mode() & PERMISSIONS) == Modes.FILLING_FILE
                && file.links() == 1
                && file.uid() == own.uid()
                && file.size() >= checkpoint.done();
    }
}
