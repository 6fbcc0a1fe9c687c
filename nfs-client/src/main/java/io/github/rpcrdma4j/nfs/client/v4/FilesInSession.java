package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.FileService.Created;
import io.github.rpcrdma4j.nfs.client.service.FileService.Filled;
import io.github.rpcrdma4j.nfs.client.service.FileService.Opened;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.OpenClaim;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.OpenDelegation;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

/**
 * The regular files of a client that has a session. A file is made by OPEN, which closes it in the
 * same call (RFC 8881, Section 18.16).
 *
 * <p>Tests: {@code OddResultsTest}, {@code FileServiceTest}.
 */
record FilesInSession(Nfs4Session session, OpenFiles opens) implements RegularFiles {
    @Override
    public UsedFile open(FileHandle file, OpenFile.Mode mode, String what)
            throws IOException, InterruptedException {
        return opens.open(session, file, mode, what);
    }

    /** Makes a value of what was opened, and of the results behind its handle. */
    private interface Opening<T> {
        T of(StateResult.Open open, Results results) throws IOException;
    }

    @Override
    public Created file(RemotePlace place, AttributeChanges attributes, boolean isNew, String what)
            throws IOException, InterruptedException {
        return opened(
                place,
                arguments(place, attributes, isNew, OpenFile.Mode.WRITE),
                what,
                plan -> plan.close(StateId.CURRENT),
                (_, results) -> Creations.created(results));
    }

    @Override
    public Filled filled(
            RemotePlace place, AttributeChanges attributes, MemorySegment data, String what)
            throws IOException, InterruptedException {
        return opened(
                place,
                arguments(place, attributes, false, OpenFile.Mode.WRITE),
                what,
                plan ->
                        plan.write(StateId.CURRENT, 0, Stability.FILE_SYNC, data)
                                .close(StateId.CURRENT),
                (_, results) ->
                        new Filled(FileResults.file(results), FileResults.written(results)));
    }

    @Override
    public Opened makeOpen(
            RemotePlace place,
            AttributeChanges attributes,
            boolean isNew,
            OpenFile.Mode mode,
            String what)
            throws IOException, InterruptedException {
        record Answered(StateResult.Open open, RemoteFile file) {}
        var arguments = arguments(place, attributes, isNew, mode);
        var answered =
                opened(
                        place,
                        arguments,
                        what,
                        plan -> plan,
                        (open, results) -> new Answered(open, FileResults.file(results)));
        var file = answered.file();
        return new Opened(opens.opened(session, file.handle(), arguments, answered.open()), file);
    }

    private StateArguments.Open arguments(
            RemotePlace place, AttributeChanges attributes, boolean isNew, OpenFile.Mode mode) {
        var encoded = Nfs4Values.changes(attributes);
        return opens.arguments(
                mode,
                isNew ? new OpenCreation.Guarded(encoded) : new OpenCreation.Unchecked(encoded),
                new OpenClaim.Name(place.name()));
    }

    /** What came with an open file. */
    private record Given(
            io.github.rpcrdma4j.nfs.v4.type.FileHandle file, OpenDelegation delegation) {
        void giveBack(Nfs4Session session) throws InterruptedException {
            OpenFiles.giveBack(session, file, delegation);
        }
    }

    /**
     * Opens a file by its name, and does more with it in the same call.
     *
     * @param more adds the further operations
     */
    private <T> T opened(
            RemotePlace place,
            StateArguments.Open arguments,
            String what,
            UnaryOperator<Plan> more,
            Opening<T> opening)
            throws IOException, InterruptedException {
        var directory = Nfs4Values.handle(place.directory());
        var left = new AtomicReference<UnusedOpens.Unused>();
        var given = new AtomicReference<Given>();
        var plan = FilePlans.status(Plan.at(directory).open(arguments).handle());
        try {
            return opens.opened(
                    session,
                    directory,
                    arguments,
                    () -> {
                        try {
                            return session.run(
                                    more.apply(plan),
                                    what,
                                    results -> {
                                        var open = results.done(1).next(StateResult.Open.class);
                                        results.handle()
                                                .map(file -> new Given(file, open.delegation()))
                                                .ifPresent(given::set);
                                        if (results.status() != Nfs4Status.OK) {
                                            left.set(
                                                    UnusedOpens.Unused.left(
                                                            directory, arguments, open, results));
                                        }
                                        return opening.of(open, results);
                                    });
                        } finally {
                            if (given.get() != null) {
                                given.get().giveBack(session);
                            }
                        }
                    });
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
