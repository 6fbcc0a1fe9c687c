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
import io.github.rpcrdma4j.nfs.client.service.Written;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.client.v4.v40.FilePlaces;
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
record FilesOfOwners(
        Nfs4Lease lease, OwnedFiles owned, FilePlaces places, ExclusiveCreation creation)
        implements RegularFiles {
    /** So many files are remembered by their names. */
    private static final int PLACES_MAX = 1 << 14;

    FilesOfOwners(Nfs4Lease lease, OwnedFiles owned) {
        this(lease, owned, new FilePlaces(PLACES_MAX), new ExclusiveCreation(lease, 0));
    }

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
                        Optional.of(file),
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
        var opening =
                new FileOpening(
                        lease,
                        owned,
                        owner,
                        place,
                        Optional.of(file),
                        access,
                        new OpenCreation.None());
        opening.run(what);
        if (!opening.isOf(file)) {
            owned.leave(lease, opening);
            throw NfsException.found(what, "its name is that of another file", Status.STALE);
        }
        return opening;
    }

    private FileOpening opening(RemotePlace place, OpenCreation how, OpenFile.Mode mode) {
        return new FileOpening(
                lease,
                owned,
                owned.take(lease),
                place,
                Optional.empty(),
                OpenFiles.access(mode),
                how);
    }

    private OpenOfOwner made(FileOpening opening, RemotePlace place, String what)
            throws IOException, InterruptedException {
        try {
            run(opening, what);
        } catch (NfsException refused) {
            throw opening.hasMade() ? ExclusiveCreation.untold(what, refused) : refused;
        }
        var file = Nfs4Values.handle(opening.file());
        places.found(place, file);
        return opened(file, opening);
    }

    /** Makes a file, or opens the one that is there. */
    private ExclusiveCreation.Opened<OpenOfOwner> made(
            RemotePlace place, OpenCreation how, OpenFile.Mode mode, String what)
            throws IOException, InterruptedException {
        var opening = opening(place, how, mode);
        var opened = made(opening, place, what);
        var file = opened.handle();
        boolean isTold = false;
        try {
            var status =
                    lease.run(
                            FilePlans.status(Plan.at(opening.file())),
                            what,
                            results -> FileResults.status(results.done(1)));
            isTold = true;
            return new ExclusiveCreation.Opened<>(
                    Optional.of(opened), new RemoteFile(file, status), opening.set());
        } catch (NfsException refused) {
            throw opening.hasMade() ? ExclusiveCreation.untold(what, refused) : refused;
        } finally {
            if (!isTold) {
                opened.close();
            }
        }
    }

    private ExclusiveCreation.Made<OpenOfOwner> made(
            RemotePlace place,
            AttributeChanges attributes,
            boolean isNew,
            OpenFile.Mode mode,
            String what)
            throws IOException, InterruptedException {
        if (isNew) {
            return creation.make(
                    place,
                    attributes,
                    what,
                    how -> ExclusiveCreation.again(how, () -> made(place, how, mode, what)));
        }
        var how = new OpenCreation.Unchecked(Nfs4Values.changes(attributes));
        var made = made(place, how, mode, what);
        return new ExclusiveCreation.Made<>(
                made.value().orElseThrow(), made.file(), AttributeChanges.NONE);
    }

    @Override
    public Created file(RemotePlace place, AttributeChanges attributes, boolean isNew, String what)
            throws IOException, InterruptedException {
        var made = makeOpen(place, attributes, isNew, OpenFile.Mode.WRITE, what);
        made.open().close();
        return new Created(
                Optional.of(made.file().handle()), Optional.of(made.file().attributes()));
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
        boolean isDone = false;
        try {
            var status = creation.completed(made, what);
            isDone = true;
            return new Opened(made.value(), new RemoteFile(made.file().handle(), status));
        } finally {
            if (!isDone) {
                made.value().close();
            }
        }
    }

    /**
     * A file with bytes has its mode from the beginning, which no exclusive creation gives it. Who
     * fills it under a name of its own chooses another one if nobody knows what became of it.
     */
    @Override
    public Filled filled(
            RemotePlace place, AttributeChanges attributes, MemorySegment data, String what)
            throws IOException, InterruptedException {
        if (data.byteSize() == 0) {
            var made = makeOpen(place, attributes, true, OpenFile.Mode.WRITE, what);
            made.open().close();
            var nothing = new Written(0, Stability.FILE_SYNC, 0);
            return new Filled(made.file(), nothing, AttributeChanges.NONE);
        }
        var guarded = new OpenCreation.Guarded(Nfs4Values.changes(attributes));
        var opening = opening(place, guarded, OpenFile.Mode.WRITE);
        try (var made = made(opening, place, what)) {
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
                        return new Filled(file, written, AttributeChanges.NONE);
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
