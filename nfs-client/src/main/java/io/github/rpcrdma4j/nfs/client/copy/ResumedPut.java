package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.file.Listing;
import io.github.rpcrdma4j.nfs.client.local.LocalFile;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.OutcomeUnknownException;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.service.Status;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Copies a large local file to a server.
 *
 * <p>Tests: {@code ResumeTest}.
 */
final class ResumedPut extends ResumedTransfer {
    /** The most READDIR calls that look for an earlier copy. */
    private static final int PAGES = 64;

    private final RemoteFiles remote;
    private final NfsMount mount;
    private final LocalFile source;
    private final LocalSource kept;
    private final RemotePlace target;
    private final Optional<FileAttributes> replaced;

    /** The incomplete file. */
    private RemotePlace place;

    private TemporaryFile file;

    /** The attributes of the file that this copy made; null before they are needed. */
    private FileAttributes own;

    /**
     * Prepares a copy.
     *
     * @param replaced attributes of the existing file of that name
     * @param from the source, for messages
     * @param to the target, for messages
     */
    ResumedPut(
            RemoteFiles remote,
            LocalFile source,
            LocalSource kept,
            RemotePlace target,
            Optional<FileAttributes> replaced,
            String from,
            String to) {
        super(
                remote.context(),
                target.name(),
                Checkpoint.start(target.name(), kept.status()),
                kept.status().size(),
                from,
                to);
        this.remote = remote;
        this.mount = context.mount();
        this.source = source;
        this.kept = kept;
        this.target = target;
        this.replaced = replaced;
    }

    /** Returns the handle of the copy, once it is complete. */
    FileHandle handle() {
        return file.handle();
    }

    private RemotePlace sibling(FileName name) {
        return new RemotePlace(target.directory(), name);
    }

    @Override
    void create(Supplier<FileName> names) throws IOException, InterruptedException {
        if (replaced.isPresent() && replaced.get().isDirectory()) {
            throw new NfsException(what, Status.ISDIR);
        }
        var made = remote.create(target.directory(), names, what);
        place = made.temporary();
        file = made.made();
    }

    @Override
    List<FileName> siblings() throws InterruptedException {
        return Listing.some(mount.service(), target.directory(), PAGES);
    }

    @Override
    boolean takesOver(FileName name, FileName takenName, Checkpoint checkpoint)
            throws IOException, InterruptedException {
        var older = sibling(name);
        var found = mount.service().find(older, what);
        if (found.isEmpty() || !isOurs(found.get(), checkpoint)) {
            return false;
        }
        var taken = sibling(takenName);
        try {
            // Another copy may take it at the same time: one of them finds nothing to rename.
            mount.service().rename(older, taken, what);
        } catch (NfsException _) {
            return false;
        } catch (OutcomeUnknownException _) {
            // Its new name tells.
        }
        var now = mount.service().find(taken, what);
        if (now.isEmpty()
                || !now.get().handle().equals(found.get().handle())
                || !isOurs(now.get(), checkpoint)) {
            remote.discard(taken);
            return false;
        }
        discard();
        place = taken;
        // Who has made it may have ended before its time of the last read was one.
        file = TemporaryFile.of(now.get()).withTimeOfRead();
        return true;
    }

    @Override
    void cut(long size) throws IOException, InterruptedException {
        mount.change(file.handle(), AttributeChanges.ofSize(size), what);
    }

    private boolean isOurs(RemoteFile found, Checkpoint checkpoint)
            throws IOException, InterruptedException {
        return incomplete(found.attributes()).isAs(made(), checkpoint);
    }

    @Override
    Incomplete made() throws IOException, InterruptedException {
        if (own == null) {
            own = mount.service().attributes(file.handle(), what);
        }
        return incomplete(own);
    }

    @Override
    Around around() throws IOException, InterruptedException {
        var directory = context.service().attributes(target.directory(), what);
        return new Around(directory.uid(), directory.mode());
    }

    private static Incomplete incomplete(FileAttributes file) {
        return new Incomplete(file.type(), file.mode(), file.links(), file.uid(), file.size());
    }

    @Override
    void move(long start, long end) throws IOException, InterruptedException {
        var bytes = new SourceBytes(source, kept.status(), from);
        new FilePut(context, bytes, file.handle(), what).run(context.outstanding(), start, end);
    }

    @Override
    void keep(FileName name) throws IOException, InterruptedException {
        // The data is committed.
        var next = sibling(name);
        remote.rename(file.handle(), place, next, what);
        place = next;
    }

    @Override
    Checkpoint now() throws IOException {
        return Checkpoint.start(target.name(), source.status());
    }

    @Override
    void finish() throws IOException, InterruptedException {
        remote.finish(file, place, target, Optional.of(kept), replaced, to);
    }

    @Override
    void discard() {
        remote.discard(place);
    }
}
