package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.file.Modes;
import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;

/**
 * Copies a large file, and goes on where an earlier copy ended. After each part of the file is on
 * stable storage, the name of the incomplete file says so. An earlier copy counts only if its
 * process has ended, the source is the same file in the same state, and the incomplete file belongs
 * to this user, who alone may write it. Only its part up to the checkpoint is used. If the source
 * changes during the copy, the copy fails.
 *
 * <p>The name says that a copy made the file. So where another user may rename files of this one,
 * copies begin anew, and leave nothing: a private file could have got such a name.
 */
abstract class ResumedTransfer {
    private static final int PERMISSIONS = 07777;
    private static final int OTHERS_WRITE = 02;
    private static final int GROUP_WRITE = 020;
    private static final int STICKY = 01000;
    private static final int ROOT = 0;

    final CopyContext context;

    /** The source and the target, for messages. */
    final String from;

    final String to;
    final String what;

    private final FileName target;
    private final Checkpoint start;
    private final long size;
    private Checkpoint reached;

    /** Whether no other user may rename what this one makes in the directory. */
    private boolean isPrivate;

    /** What is known of the directory of the target. */
    record Around(int uid, int mode) {
        /**
         * Returns whether no other user than root may rename files of a user in it. If the
         * directory has an access control list, the bits of the group are those of all whom the
         * list names, so a group of the user's own counts as others.
         */
        boolean isPrivateTo(int user) {
            boolean othersWrite = (mode & (GROUP_WRITE | OTHERS_WRITE)) != 0;
            return (uid == user || uid == ROOT) && (!othersWrite || (mode & STICKY) != 0);
        }
    }

    /** What is known of an incomplete file. */
    record Incomplete(FileType type, int mode, long links, int uid, long size) {
        /** Returns whether this user made a file, and alone may write it. */
        boolean isAs(Incomplete own, Checkpoint checkpoint) {
            return type == FileType.REGULAR
                    && (mode & PERMISSIONS) == Modes.FILLING_FILE
                    && links == 1
                    && uid == own.uid
                    && Long.compareUnsigned(size, checkpoint.done()) >= 0;
        }
    }

    /**
     * @param target the name of the copy
     * @param start the state of the source
     * @param size of the source, in bytes
     */
    ResumedTransfer(
            CopyContext context,
            FileName target,
            Checkpoint start,
            long size,
            String from,
            String to) {
        this.context = context;
        this.target = target;
        this.start = start;
        this.size = size;
        this.from = from;
        this.to = to;
        this.what = "cannot write " + to;
        this.reached = start;
    }

    /** Copies the file. */
    final void run() throws IOException, InterruptedException {
        create(() -> temporary(start));
        boolean isComplete = false;
        boolean isUseful = true;
        try {
            isPrivate = around().isPrivateTo(made().uid);
            if (isPrivate) {
                resume();
            } else {
                context.listener().notResumable(to);
            }
            fill();
            isUseful = now().equals(start);
            if (!isUseful) {
                throw new IOException("cannot read " + from + ": it changed while it was copied");
            }
            finish();
            isComplete = true;
        } finally {
            close();
            if (!isComplete) {
                leave(isUseful);
            }
        }
    }

    private FileName temporary(Checkpoint checkpoint) {
        return TemporaryName.of(target, RunningProcess.current(), checkpoint);
    }

    /** Takes over the incomplete file of an earlier copy, if there is one. */
    private void resume() throws IOException, InterruptedException {
        for (var name : siblings()) {
            var older = TemporaryName.checkpoint(name);
            boolean isPossible =
                    older.isPresent()
                            && start.canContinue(older.get(), size)
                            && TemporaryName.maker(name).orElseThrow().state()
                                    == RunningProcess.State.ENDED;
            if (isPossible && takesOver(name, temporary(older.get()), older.get())) {
                reached = older.get();
                cut(reached.done());
                context.listener().resumed(reached.done());
                return;
            }
        }
    }

    private void fill() throws IOException, InterruptedException {
        while (reached.done() < size) {
            long end = Math.min(reached.done() + Checkpoint.INTERVAL, size);
            move(reached.done(), end);
            if (end < size && isPrivate) {
                keep(temporary(reached.at(end)));
            }
            reached = reached.at(end);
        }
    }

    /** Keeps the incomplete file for a later copy, or removes it. */
    private void leave(boolean isUseful) {
        if (isUseful && isPrivate && reached.done() > 0) {
            context.leftovers().countResumable(reached.done());
        } else {
            discard();
        }
    }

    /**
     * Makes the incomplete file; leaves nothing if that fails.
     *
     * @param names returns names that no file has
     */
    abstract void create(Supplier<FileName> names) throws IOException, InterruptedException;

    /** Returns what is known of the file that was made. */
    abstract Incomplete made() throws IOException, InterruptedException;

    /** Returns what is known of the directory of the target. */
    abstract Around around() throws IOException, InterruptedException;

    /** Returns names in the directory of the target. */
    abstract List<FileName> siblings() throws IOException, InterruptedException;

    /**
     * Takes over an incomplete file in place of the one that was made. Another copy may take it at
     * the same time.
     *
     * @param taken the name that it gets
     * @return false if it is gone, or not a file that may be continued
     */
    abstract boolean takesOver(FileName older, FileName taken, Checkpoint checkpoint)
            throws IOException, InterruptedException;

    /** Cuts the file at a checkpoint: what was written behind it may be incomplete. */
    abstract void cut(long size) throws IOException, InterruptedException;

    /** Copies a range of the source, in bytes. */
    abstract void move(long from, long to) throws IOException, InterruptedException;

    /** Puts what is there on stable storage, and gives the incomplete file another name then. */
    abstract void keep(FileName next) throws IOException, InterruptedException;

    /** Returns the state of the source now. */
    abstract Checkpoint now() throws IOException, InterruptedException;

    /** Gives the complete file its name and its attributes. */
    abstract void finish() throws IOException, InterruptedException;

    /** Closes the file. */
    void close() {}

    /** Removes the incomplete file, if that is possible. */
    abstract void discard();
}
