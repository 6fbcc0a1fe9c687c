package io.github.rpcrdma4j.nfs.client.v4;

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
import io.github.rpcrdma4j.nfs.client.service.Written;
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
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

/**
 * The regular files of a client that has a session. A file is made by OPEN, which closes it in the
 * same call (RFC 8881, Section 18.16). Thread-safe.
 *
 * <p>Tests: {@code ExclusiveCreationTest}, {@code OddResultsTest}, {@code FileServiceTest}.
 */
final class FilesInSession implements RegularFiles {
    private final Nfs4Session session;
    private final OpenFiles opens;
    private final ExclusiveCreation creation;

    FilesInSession(Nfs4Session session, OpenFiles opens, int minorVersion) {
        this.session = session;
        this.opens = opens;
        this.creation = new ExclusiveCreation(session, minorVersion);
    }

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
        if (!isNew) {
            return opened(
                    place,
                    arguments(place, unchecked(attributes), OpenFile.Mode.WRITE),
                    what,
                    plan -> plan.close(StateId.CURRENT),
                    (_, results) -> Creations.created(results));
        }
        var made =
                creation.make(
                        place,
                        attributes,
                        what,
                        how ->
                                made(
                                        place,
                                        arguments(place, how, OpenFile.Mode.WRITE),
                                        what,
                                        plan -> plan.close(StateId.CURRENT),
                                        (open, results) ->
                                                new ExclusiveCreation.Opened<>(
                                                        Optional.of(true),
                                                        FileResults.file(results),
                                                        open.set())));
        return new Created(
                Optional.of(made.file().handle()), Optional.of(creation.completed(made, what)));
    }

    /**
     * Opens a file that must not exist.
     *
     * @throws IOException no {@link NfsException} if the file is made all the same
     */
    private <T> T made(
            RemotePlace place,
            StateArguments.Open arguments,
            String what,
            UnaryOperator<Plan> more,
            Opening<T> opening)
            throws IOException, InterruptedException {
        var isMade = new AtomicBoolean();
        try {
            return opened(
                    place,
                    arguments,
                    what,
                    more,
                    (open, results) -> {
                        isMade.set(true);
                        return opening.of(open, results);
                    });
        } catch (NfsException refused) {
            if (isMade.get()) {
                throw ExclusiveCreation.untold(what, refused);
            }
            throw refused;
        }
    }

    @Override
    public Filled filled(
            RemotePlace place, AttributeChanges attributes, MemorySegment data, String what)
            throws IOException, InterruptedException {
        var made =
                creation.make(
                        place,
                        attributes,
                        what,
                        how ->
                                opened(
                                        place,
                                        arguments(place, how, OpenFile.Mode.WRITE),
                                        what,
                                        plan -> filling(plan, how, data).close(StateId.CURRENT),
                                        (open, results) -> filled(open, how, data, results)));
        return new Filled(made.file(), made.value(), made.left());
    }

    /** Others must not read what is written: the mode is looked at in front of it. */
    private static Plan filling(Plan plan, OpenCreation how, MemorySegment data) {
        return data.byteSize() == 0
                ? plan
                : how instanceof OpenCreation.ExclusiveWithAttributes(_, var mode)
                        ? plan.require(mode).write(StateId.CURRENT, 0, Stability.FILE_SYNC, data)
                        : plan.write(StateId.CURRENT, 0, Stability.FILE_SYNC, data);
    }

    private static ExclusiveCreation.Opened<Written> filled(
            StateResult.Open open, OpenCreation how, MemorySegment data, Results results)
            throws IOException {
        var file = FileResults.file(results);
        if (data.byteSize() == 0) {
            var nothing = new Written(0, Stability.FILE_SYNC, 0);
            return new ExclusiveCreation.Opened<>(Optional.of(nothing), file, open.set());
        }
        if (how instanceof OpenCreation.ExclusiveWithAttributes) {
            try {
                results.done(1);
            } catch (NfsException _) {
                return new ExclusiveCreation.Opened<>(Optional.empty(), file, open.set());
            }
        }
        var written = Optional.of(FileResults.written(results));
        return new ExclusiveCreation.Opened<>(written, file, open.set());
    }

    @Override
    public Opened makeOpen(
            RemotePlace place,
            AttributeChanges attributes,
            boolean isNew,
            OpenFile.Mode mode,
            String what)
            throws IOException, InterruptedException {
        if (!isNew) {
            var made = open(place, unchecked(attributes), mode, what);
            return new Opened(made.value().orElseThrow(), made.file());
        }
        var made = creation.make(place, attributes, what, how -> open(place, how, mode, what));
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

    /** Makes a file, or opens one that is there, and leaves it open. */
    private ExclusiveCreation.Opened<UsedFile> open(
            RemotePlace place, OpenCreation how, OpenFile.Mode mode, String what)
            throws IOException, InterruptedException {
        record Answered(StateResult.Open open, RemoteFile file) {}
        var arguments = arguments(place, how, mode);
        Opening<Answered> opening =
                (open, results) -> new Answered(open, FileResults.file(results));
        var answered =
                how instanceof OpenCreation.Unchecked
                        ? opened(place, arguments, what, plan -> plan, opening)
                        : made(place, arguments, what, plan -> plan, opening);
        var file = answered.file();
        return new ExclusiveCreation.Opened<>(
                Optional.of(opens.opened(session, file.handle(), arguments, answered.open())),
                file,
                answered.open().set());
    }

    private static OpenCreation unchecked(AttributeChanges attributes) {
        return new OpenCreation.Unchecked(Nfs4Values.changes(attributes));
    }

    private StateArguments.Open arguments(RemotePlace place, OpenCreation how, OpenFile.Mode mode) {
        return opens.arguments(mode, how, new OpenClaim.Name(place.name()));
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
        CompoundCalls.Decoding<T> decoding =
                results -> {
                    var open = results.done(1).next(StateResult.Open.class);
                    results.handle()
                            .map(file -> new Given(file, open.delegation()))
                            .ifPresent(given::set);
                    // An earlier attempt has opened it for the same owner.
                    left.set(
                            results.status() == Nfs4Status.OK
                                    ? null
                                    : UnusedOpens.Unused.left(directory, arguments, open, results));
                    return opening.of(open, results);
                };
        try {
            return opens.opened(
                    session,
                    directory,
                    arguments,
                    () ->
                            ExclusiveCreation.again(
                                    arguments.creation(),
                                    () -> {
                                        try {
                                            return session.run(more.apply(plan), what, decoding);
                                        } finally {
                                            if (given.get() != null) {
                                                given.get().giveBack(session);
                                            }
                                        }
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
