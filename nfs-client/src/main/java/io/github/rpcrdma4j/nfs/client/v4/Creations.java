package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.FileService.Created;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.v4.operation.NameArguments;
import io.github.rpcrdma4j.nfs.v4.operation.NameResult;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import java.io.IOException;
import java.util.Optional;

/** Makes files that are not regular, by CREATE (RFC 8881, Section 18.4). */
record Creations(CompoundCalls calls) {
    private static final Created UNTOLD = new Created(Optional.empty(), Optional.empty());

    /** Returns what was made, as far as the server tells: it is made in any case. */
    static Created created(Results results) throws IOException {
        try {
            var made = FileResults.file(results);
            return new Created(Optional.of(made.handle()), Optional.of(made.attributes()));
        } catch (NfsException _) {
            return UNTOLD;
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
        var making = FilePlans.directory(place).create(create).handle();
        return calls.endsAtItsLimit()
                ? calls.run(
                        FilePlans.status(making),
                        what,
                        results -> created(results.done(1).passed(NameResult.Create.class)))
                : withAttributes(
                        calls.run(
                                making,
                                what,
                                results ->
                                        results.done(1).passed(NameResult.Create.class).handle()),
                        what);
    }

    /**
     * Asks for the attributes of what was made, in another call: their length is not known before
     * (RFC 8267-6.2.1-2).
     *
     * @param made empty if the server does not tell its handle
     */
    Created withAttributes(Optional<FileHandle> made, String what) throws InterruptedException {
        if (made.isEmpty()) {
            return UNTOLD;
        }
        var handle = made.map(Nfs4Values::handle);
        try {
            return new Created(
                    handle,
                    Optional.of(
                            calls.run(
                                    FilePlans.status(Plan.at(made.get())),
                                    what,
                                    results -> FileResults.status(results.done(1)))));
        } catch (IOException _) {
            // It is made all the same.
            return new Created(handle, Optional.empty());
        }
    }
}
