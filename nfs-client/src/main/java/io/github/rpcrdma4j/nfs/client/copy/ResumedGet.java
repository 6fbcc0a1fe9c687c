package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.file.Modes;
import io.github.rpcrdma4j.nfs.client.file.NameRoom;
import io.github.rpcrdma4j.nfs.client.local.LocalException;
import io.github.rpcrdma4j.nfs.client.local.LocalFile;
import io.github.rpcrdma4j.nfs.client.local.LocalPath;
import io.github.rpcrdma4j.nfs.client.local.LocalStatus;
import io.github.rpcrdma4j.nfs.client.local.LocalTree;
import io.github.rpcrdma4j.nfs.client.service.NameMemory;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Copies a large file from a server.
 *
 * <p>Tests: {@code ResumeTest}.
 */
final class ResumedGet extends ResumedTransfer {
    private final LocalFiles local;
    private final LocalTree tree;
    private final RemoteFile source;
    private final RemoteSource kept;
    private final LocalPath target;
    private final boolean hasHoles;

    private Optional<LocalStatus> replaced;

    /** The incomplete file. */
    private LocalPath place;

    private LocalFile file;

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
        super(
                local.context(),
                target.name(),
                Checkpoint.start(target.name(), source),
                source.attributes().size(),
                from,
                to);
        this.local = local;
        this.tree = local.tree();
        this.source = source;
        this.kept = kept;
        this.target = target;
        this.hasHoles = hasHoles;
    }

    @Override
    void create(Supplier<FileName> names) throws IOException {
        replaced = tree.find(target, what);
        LocalFiles.requireNoDirectory(replaced, what);
        place = target.directory().child(names.get());
        file = tree.create(place, Modes.FILLING_FILE, what);
    }

    @Override
    List<FileName> siblings() {
        try (var names = new NameMemory().share()) {
            return tree.list(target.directory(), new NameRoom(names, what), what);
        } catch (IOException _) {
            // The copy begins anew.
            return List.of();
        }
    }

    @Override
    boolean takesOver(FileName name, FileName takenName, Checkpoint checkpoint) throws IOException {
        var older = target.directory().child(name);
        var taken = target.directory().child(takenName);
        LocalFile opened;
        try {
            if (!isOurs(tree.status(older, what), checkpoint)) {
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
            if (!isOurs(opened.status(), checkpoint)
                    || opened.status().inode() != tree.status(taken, what).inode()) {
                throw new LocalException(what, LocalException.Reason.OTHER);
            }
        } catch (LocalException _) {
            opened.close();
            local.discard(taken);
            return false;
        }
        file.close();
        local.discard(place);
        file = opened;
        place = taken;
        return true;
    }

    @Override
    void cut(long size) throws IOException {
        file.resize(size);
    }

    private boolean isOurs(LocalStatus status, Checkpoint checkpoint) throws IOException {
        return incomplete(status).isAs(made(), checkpoint);
    }

    @Override
    Incomplete made() throws IOException {
        return incomplete(file.status());
    }

    @Override
    Around around() throws IOException {
        var directory = tree.status(target.directory(), what);
        return new Around(directory.uid(), directory.mode());
    }

    private static Incomplete incomplete(LocalStatus file) {
        return new Incomplete(file.type(), file.mode(), file.links(), file.uid(), file.size());
    }

    @Override
    void move(long start, long end) throws IOException, InterruptedException {
        new FileGet(context, source, "cannot read " + from, FileGet.into(file, hasHoles))
                .run(context.outstanding(), start, end);
        if (hasHoles) {
            file.resize(end);
        }
    }

    @Override
    void keep(FileName name) throws IOException {
        file.sync();
        var next = target.directory().child(name);
        tree.rename(place, next, what);
        place = next;
    }

    @Override
    Checkpoint now() throws IOException, InterruptedException {
        var attributes = context.service().attributes(source.handle(), "cannot read " + from);
        return Checkpoint.start(target.name(), new RemoteFile(source.handle(), attributes));
    }

    @Override
    void finish() throws IOException, InterruptedException {
        local.finish(file, kept, replaced, to);
        file.finish();
        tree.rename(place, target, what);
    }

    @Override
    void close() {
        file.close();
    }

    @Override
    void discard() {
        local.discard(place);
    }
}
