package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.FileService.Created;
import io.github.rpcrdma4j.nfs.client.service.FileService.Filled;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.OpenClaim;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

/**
 * The regular files of a client that has a session. A file is made by OPEN, which closes it in the
 * same call (RFC 8881, Section 18.16).
 */
record FilesInSession(Nfs4Session session, OpenFiles opens) implements RegularFiles {
    @Override
    public UsedFile open(FileHandle file, OpenFile.Mode mode, String what)
            throws IOException, InterruptedException {
        return opens.open(session, file, mode, what);
    }

    @Override
    public Created file(RemotePlace place, AttributeChanges attributes, boolean isNew, String what)
            throws IOException, InterruptedException {
        return opened(place, attributes, isNew, what, plan -> plan, Creations::created);
    }

    @Override
    public Filled filled(
            RemotePlace place, AttributeChanges attributes, MemorySegment data, String what)
            throws IOException, InterruptedException {
        return opened(
                place,
                attributes,
                false,
                what,
                plan -> plan.write(StateId.CURRENT, 0, Stability.FILE_SYNC, data),
                results -> new Filled(FileResults.file(results), FileResults.written(results)));
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
            CompoundCalls.Decoding<T> decoding)
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
                                        if (results.status() != Nfs4Status.OK) {
                                            left.set(
                                                    UnusedOpens.Unused.left(
                                                            directory, arguments, open, results));
                                        }
                                        return decoding.of(results);
                                    }));
        } finally {
            if (left.get() != null) {
                opens.leave(session, left.get());
            }
        }
    }

    @Override
    public void closeAll() {
        opens.closeAll(session);
    }
}
