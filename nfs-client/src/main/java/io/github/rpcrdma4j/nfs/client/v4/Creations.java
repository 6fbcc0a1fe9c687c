package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.FileService.Created;
import io.github.rpcrdma4j.nfs.client.service.FileService.Filled;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.NameArguments;
import io.github.rpcrdma4j.nfs.v4.operation.NameResult;
import io.github.rpcrdma4j.nfs.v4.operation.OpenClaim;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

/** Makes files, by OPEN and CREATE (RFC 8881, Sections 18.16 and 18.4). */
record Creations(Nfs4Session session, OpenFiles opens) {
    /** Makes a regular file, and closes it. */
    Created file(RemotePlace place, AttributeChanges attributes, boolean isNew, String what)
            throws IOException, InterruptedException {
        return opened(place, attributes, isNew, what, plan -> plan, Creations::created);
    }

    /** Makes and fills a regular file, and closes it. */
    Filled filled(RemotePlace place, AttributeChanges attributes, MemorySegment data, String what)
            throws IOException, InterruptedException {
        return opened(
                place,
                attributes,
                false,
                what,
                plan -> plan.write(StateId.CURRENT, 0, Stability.FILE_SYNC, data),
                results -> new Filled(Nfs4Service.file(results), Nfs4Service.written(results)));
    }

    /**
     * Opens a file by its name, does more with it and closes it, in one call.
     *
     * @param more the operations between
     * @param decoding of their results, behind the handle and the attributes of the file
     */
    private <T> T opened(
            RemotePlace place,
            AttributeChanges attributes,
            boolean isNew,
            String what,
            UnaryOperator<Plan> more,
            Nfs4Session.Decoding<T> decoding)
            throws IOException, InterruptedException {
        var encoded = Nfs4Values.changes(attributes);
        var arguments =
                opens.arguments(
                        OpenFile.Mode.WRITE,
                        isNew
                                ? new OpenCreation.Guarded(encoded)
                                : new OpenCreation.Unchecked(encoded),
                        new OpenClaim.Name(place.name()));
        var directory = Nfs4Values.handle(place.directory());
        var left = new AtomicReference<UnusedOpens.Unused>();
        var plan = FilePlans.status(Plan.at(directory).open(arguments).handle());
        try {
            return opens.opened(
                    session,
                    directory,
                    arguments,
                    () ->
                            session.run(
                                    more.apply(plan).close(StateId.CURRENT),
                                    what,
                                    results -> {
                                        var open = results.done(1).next(StateResult.Open.class);
                                        left.set(left(directory, arguments, open, results));
                                        return decoding.of(results);
                                    }));
        } finally {
            if (left.get() != null) {
                opens.leave(session, left.get());
            }
        }
    }

    /** Returns the open that is left because CLOSE was not carried out; null if it was. */
    private static UnusedOpens.Unused left(
            FileHandle directory,
            StateArguments.Open arguments,
            StateResult.Open open,
            Results results) {
        if (results.status() == Nfs4Status.OK) {
            return null;
        }
        return results.handle()
                .map(
                        file ->
                                new UnusedOpens.Unused(
                                        file,
                                        arguments,
                                        Optional.of(open.open().withSequence(0)),
                                        false))
                .orElse(new UnusedOpens.Unused(directory, arguments, Optional.empty(), true));
    }

    /** Returns what was made, as far as the server tells: it is made in any case. */
    private static Created created(Results results) throws IOException {
        try {
            var made = Nfs4Service.file(results);
            return new Created(Optional.of(made.handle()), Optional.of(made.attributes()));
        } catch (NfsException _) {
            return new Created(Optional.empty(), Optional.empty());
        }
    }

    /** Returns a device, a socket or a FIFO. */
    static NameArguments.NewFile node(FileType type, int deviceMajor, int deviceMinor) {
        long device = (long) deviceMajor << Integer.SIZE | Integer.toUnsignedLong(deviceMinor);
        return switch (type) {
            case BLOCK_DEVICE -> new NameArguments.NewFile.BlockDevice(device);
            case CHARACTER_DEVICE -> new NameArguments.NewFile.CharacterDevice(device);
            case SOCKET -> new NameArguments.NewFile.Socket();
            case FIFO -> new NameArguments.NewFile.Fifo();
            case REGULAR, DIRECTORY, SYMBOLIC_LINK ->
                    throw new IllegalArgumentException("no node: " + type);
        };
    }

    /** Makes a file that is not regular. */
    Created make(
            RemotePlace place, NameArguments.NewFile file, AttributeChanges attributes, String what)
            throws IOException, InterruptedException {
        var create = new NameArguments.Create(file, place.name(), Nfs4Values.changes(attributes));
        return session.run(
                FilePlans.status(FilePlans.directory(place).create(create).handle()),
                what,
                results -> {
                    results.done(1).next(NameResult.Create.class);
                    return created(results);
                });
    }
}
