package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.client.NfsMount.RemoteFile;
import io.github.rpcrdma4j.nfs.client.RemoteFiles.TemporaryFile;
import io.github.rpcrdma4j.nfs.client.local.LocalFile;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.FileType;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.Status;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Copies a large local file to a server, and goes on where an earlier copy ended. After each part
 * of the file is on stable storage, the temporary name says so. An earlier copy counts only if its
 * process has ended, the source is the same file in the same state, and the incomplete file belongs
 * to this user, who alone may write it. Only its part up to the checkpoint is used. If the source
 * changes during the copy, the copy fails.
 */
final class ResumedPut {
    /** The most READDIR calls that look for an earlier copy. */
    private static final int PAGES = 64;

    private static final int PERMISSIONS = 07777;

    private final Copier copier;
    private final RemoteFiles remote;
    private final NfsMount mount;
    private final LocalFile source;
    private final LocalSource kept;
    private final DirOpArgs target;
    private final Optional<FileAttributes> replaced;
    private final String from;
    private final String to;
    private final String what;
    private final Checkpoint start;

    /** The incomplete file. */
    private DirOpArgs place;

    private TemporaryFile file;
    private Checkpoint reached;

    /**
     * Prepares a copy.
     *
     * @param replaced attributes of the existing file of that name
     * @param from the source, for messages
     * @param to the target, for messages
     */
    ResumedPut(
            Copier copier,
            LocalFile source,
            LocalSource kept,
            DirOpArgs target,
            Optional<FileAttributes> replaced,
            String from,
            String to) {
        this.copier = copier;
        this.remote = copier.remote();
        this.mount = copier.mount();
        this.source = source;
        this.kept = kept;
        this.target = target;
        this.replaced = replaced;
        this.from = from;
        this.to = to;
        this.what = "cannot write " + to;
        this.start = Checkpoint.start(target.name(), kept.status());
        this.reached = start;
    }

    /** Copies the file, and returns the handle of the copy. */
    FileHandle run() throws IOException, InterruptedException {
        if (replaced.isPresent() && replaced.get().isDirectory()) {
            throw new NfsException(what, Status.ISDIR);
        }
        place = temporary(start);
        boolean isComplete = false;
        boolean isUseful = true;
        try {
            file = WorkerGroup.runUninterrupted(() -> remote.create(place, what));
            resume();
            fill();
            isUseful = Checkpoint.start(target.name(), source.status()).equals(start);
            if (!isUseful) {
                throw new IOException("cannot read " + from + ": it changed while it was copied");
            }
            remote.finish(file, place, target, Optional.of(kept), replaced, to);
            isComplete = true;
            return file.handle();
        } finally {
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
            remote.discard(place);
        }
    }

    private DirOpArgs temporary(Checkpoint checkpoint) {
        var name = TemporaryName.of(target.name(), RunningProcess.current(), checkpoint);
        return new DirOpArgs(target.directory(), name);
    }

    private void fill() throws IOException, InterruptedException {
        long size = kept.status().size();
        while (reached.done() < size) {
            long end = Math.min(reached.done() + Checkpoint.INTERVAL, size);
            new FilePut(copier, source, kept.status(), file.handle(), from, what)
                    .run(copier.outstanding(), reached.done(), end);
            if (end < size) {
                var next = temporary(reached.at(end));
                remote.rename(file.handle(), place, next, what);
                place = next;
            }
            reached = reached.at(end);
        }
    }

    /** Takes over the incomplete file of an earlier copy, if there is one. */
    private void resume() throws IOException, InterruptedException {
        FileAttributes own = null;
        for (var name : mount.someNames(target.directory(), PAGES)) {
            var older = TemporaryName.checkpoint(name);
            boolean isPossible =
                    older.isPresent()
                            && start.canContinue(older.get(), kept.status().size())
                            && TemporaryName.maker(name).orElseThrow().state()
                                    == RunningProcess.State.ENDED;
            if (isPossible) {
                own = own == null ? mount.lookup(place, what).attributes() : own;
                if (takesOver(new DirOpArgs(target.directory(), name), older.get(), own)) {
                    return;
                }
            }
        }
    }

    private boolean takesOver(DirOpArgs older, Checkpoint checkpoint, FileAttributes own)
            throws IOException, InterruptedException {
        var found = mount.find(older, what);
        if (found.isEmpty() || !isOurs(found.get().attributes(), own, checkpoint)) {
            return false;
        }
        var taken = temporary(checkpoint);
        try {
            // Another copy may take it at the same time: one of them finds nothing to rename.
            mount.rename(older, taken, what);
        } catch (NfsException _) {
            return false;
        }
        var now = mount.find(taken, what);
        if (now.isEmpty()
                || !now.get().handle().equals(found.get().handle())
                || !isOurs(now.get().attributes(), own, checkpoint)) {
            remote.discard(taken);
            return false;
        }
        remote.discard(place);
        place = taken;
        reached = checkpoint;
        file = file(now.get());
        // What was written behind the checkpoint may be incomplete.
        mount.change(file.handle(), SetAttributes.ofSize(checkpoint.done()), what);
        copier.listener().resumed(checkpoint.done());
        return true;
    }

    private static TemporaryFile file(RemoteFile found) {
        return new TemporaryFile(found.handle(), OptionalInt.of(found.attributes().gid()));
    }

    /** Returns whether a file is one that this user made, and that only this user may write. */
    private static boolean isOurs(FileAttributes file, FileAttributes own, Checkpoint checkpoint) {
        return file.type() == FileType.REGULAR
                && (file.mode() & PERMISSIONS) == Modes.FILLING_FILE
                && file.links() == 1
                && file.uid() == own.uid()
                && Long.compareUnsigned(file.size(), checkpoint.done()) >= 0;
    }
}
