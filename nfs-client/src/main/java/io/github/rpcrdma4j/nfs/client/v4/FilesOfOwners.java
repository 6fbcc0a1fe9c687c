package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.FileService.Created;
import io.github.rpcrdma4j.nfs.client.service.FileService.Filled;
import io.github.rpcrdma4j.nfs.client.service.FileService.Opened;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The regular files of a client of version 4.0. A file is opened by the name that it was found
 * under. If that is the name of another file by now, or of none, the file is used without being
 * open. Thread-safe.
 *
 * <p>Tests: {@code LeaseTest}, {@code FileServiceTest}.
 */
record FilesOfOwners(Nfs4Lease lease, OwnedFiles owned, FilePlaces places) implements RegularFiles {
    /** So many files are remembered by their names. */
    static final int PLACES_MAX = 1 << 14;

    @Override
    public UsedFile open(FileHandle file, OpenFile.Mode mode, String what)
            throws IOException, InterruptedException {
        var place = places.of(file);
        if (place.isEmpty()) {
            return new UnopenedFile(file);
        }
        var opening =
                new FileOpening(
                        lease,
                        owned,
                        owned.take(lease),
                        place.get(),
                        OpenFiles.access(mode),
                        new OpenCreation.None());
        try {
            run(opening, what);
        } catch (NfsException refused) {
            return switch (refused.status()) {
                // What is said of the name need not hold for the file.
                case NOENT, NOTDIR, ISDIR, INVAL, BADTYPE, STALE -> new UnopenedFile(file);
                default -> throw refused;
            };
        }
        if (!opening.isOf(file)) {
            owned.leave(lease, opening);
            return new UnopenedFile(file);
        }
        return opened(file, opening);
    }

    private OpenOfOwner opened(FileHandle file, FileOpening opening)
            throws IOException, InterruptedException {
        var opened = new OpenOfOwner(this, file, opening);
        owned.add(opened);
        OpenFiles.giveBack(lease, Nfs4Values.handle(file), opening.delegation());
        return opened;
    }

    /** Opens a file for an owner of the pool. */
    private void run(FileOpening opening, String what) throws IOException, InterruptedException {
        try {
            opening.run(what);
        } catch (NfsException refused) {
            if (!opening.isOpen()) {
                owned.giveBack(opening.owner());
            }
            throw refused;
        }
    }

    /**
     * Opens a file once more, for the owner that had it open.
     *
     * @throws NfsException {@link Status#STALE} if no name of it is known
     */
    FileOpening again(FileHandle file, OpenOwner owner, int access, String what)
            throws IOException, InterruptedException {
        var place =
                places.of(file)
                        .orElseThrow(
                                () ->
                                        NfsException.found(
                                                what, "its name is not known", Status.STALE));
        var opening = new FileOpening(lease, owned, owner, place, access, new OpenCreation.None());
        opening.run(what);
        if (!opening.isOf(file)) {
            owned.leave(lease, opening);
            throw NfsException.found(what, "its name is that of another file", Status.STALE);
        }
        return opening;
    }

    /** Makes a file, or opens the one that is there. */
    private OpenOfOwner made(
            RemotePlace place,
            AttributeChanges attributes,
            boolean isNew,
            OpenFile.Mode mode,
            String what)
            throws IOException, InterruptedException {
        var encoded = Nfs4Values.changes(attributes);
        var opening =
                new FileOpening(
                        lease,
                        owned,
                        owned.take(lease),
                        place,
                        OpenFiles.access(mode),
                        isNew
                                ? new OpenCreation.Guarded(encoded)
                                : new OpenCreation.Unchecked(encoded));
        run(opening, what);
        var file = Nfs4Values.handle(opening.file());
        places.found(place, file);
        return opened(file, opening);
    }

    @Override
    public Created file(RemotePlace place, AttributeChanges attributes, boolean isNew, String what)
            throws IOException, InterruptedException {
        try (var made = made(place, attributes, isNew, OpenFile.Mode.WRITE, what)) {
            return new Creations(lease)
                    .withAttributes(Optional.of(Nfs4Values.handle(made.handle())), what);
        }
    }

    @Override
    public Opened makeOpen(
            RemotePlace place,
            AttributeChanges attributes,
            boolean isNew,
            OpenFile.Mode mode,
            String what)
            throws IOException, InterruptedException {
        var made = made(place, attributes, isNew, mode, what);
        boolean isTold = false;
        try {
            var status =
                    lease.run(
                            FilePlans.status(Plan.at(Nfs4Values.handle(made.handle()))),
                            what,
                            results -> FileResults.status(results.done(1)));
            isTold = true;
            return new Opened(made, new RemoteFile(made.handle(), status));
        } finally {
            if (!isTold) {
                made.close();
            }
        }
    }

    @Override
    public Filled filled(
            RemotePlace place, AttributeChanges attributes, MemorySegment data, String what)
            throws IOException, InterruptedException {
        try (var made = made(place, attributes, false, OpenFile.Mode.WRITE, what)) {
            var handle = Nfs4Values.handle(made.handle());
            var writing =
                    made.use(
                            what,
                            stateId ->
                                    FilePlans.status(
                                            Plan.at(handle)
                                                    .write(stateId, 0, Stability.FILE_SYNC, data)));
            return lease.run(
                    writing,
                    what,
                    results -> {
                        var written = FileResults.written(results.done(1));
                        var file = new RemoteFile(made.handle(), FileResults.status(results));
                        return new Filled(file, written);
                    });
        }
    }

    @Override
    public void found(RemotePlace place, RemoteFile file) {
        if (file.attributes().type() == FileType.REGULAR) {
            places.found(place, file.handle());
        }
    }

    @Override
    public void renamed(RemotePlace from, RemotePlace to) {
        places.renamed(from, to);
    }

    @Override
    public void closeAll() {
        owned.closeAll();
    }
}
