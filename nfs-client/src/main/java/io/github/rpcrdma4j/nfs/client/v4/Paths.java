package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.FileSystemId;
import io.github.rpcrdma4j.nfs.client.service.MountedExport;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.client.service.TransferLimits;
import io.github.rpcrdma4j.nfs.client.service.WalkedPath;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.ReadAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeResult;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Walks along paths. A path takes one call, which tells each file on it; a long path takes several,
 * because a session limits the operations and the bytes of each. What the walk to an export has
 * told of the rest of the path serves the first walk from there, if that follows soon, and this
 * client has changed nothing meanwhile. Thread-safe.
 *
 * <p>Tests: {@code FewOperationsTest}, {@code FileServiceTest}, {@code CallsOfCommandsTest}.
 */
final class Paths {
    /** How deep below the root file systems are looked for. */
    private static final int NAMES_MAX = 16;

    /** LOOKUP, GETFH and GETATTR. */
    private static final int OPERATIONS_PER_NAME = 3;

    /** The most bytes of the results of these three. */
    private static final int BYTES_PER_NAME = 1024;

    private static final AttributeSet MOUNTED = Nfs4Values.STATUS.or(FileSystemQuestions.LIMITS);

    /** How long what was told of a path is what a walk would tell. */
    private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final CompoundCalls calls;

    /** What the last walk to an export has told; null if it was used. */
    private final AtomicReference<Known> known = new AtomicReference<>();

    Paths(CompoundCalls calls) {
        this.calls = calls;
    }

    /**
     * What was told of the names below a directory, at a time in nanoseconds.
     *
     * @param changes of this client before it was asked for
     */
    private record Known(
            FileHandle directory,
            List<FileName> names,
            WalkedPath walked,
            long told,
            long changes) {}

    /** A file on a path, and the limits of its file system, if they were asked for. */
    private record Found(RemoteFile file, TransferLimits limits) {}

    /** A walk, up to the last name or to a failure. */
    private record Walk(List<Found> found, Optional<NfsException> failure) {}

    /** Makes the plan of a step, which tells the attributes of each file. */
    private record Step(Plan plan, AttributeSet wanted) {
        Step told() {
            return new Step(
                    plan.handle()
                            .attributes(
                                    wanted,
                                    Nfs4Values.STATUS_BYTES + FileSystemQuestions.NUMBERS_BYTES),
                    wanted);
        }

        Step named(FileName name) {
            return new Step(plan.lookup(name), wanted).told();
        }
    }

    /** Walks from a directory. */
    WalkedPath from(FileHandle directory, List<FileName> names, String what)
            throws IOException, InterruptedException {
        if (names.isEmpty()) {
            return new WalkedPath(List.of(), Optional.empty());
        }
        var before = known.getAndSet(null);
        if (before != null
                && before.directory.equals(directory)
                && before.names.equals(names)
                && before.changes == calls.changes().count()
                && calls.threads().nanoTime() - before.told < KEPT_NANOS) {
            return before.walked;
        }
        var where = RefusedPaths.Where.at(directory);
        var walk = walked(where, new Step(where.start(), Nfs4Values.STATUS), 0, names, what);
        var files = walk.found.stream().map(Found::file).toList();
        if (walk.failure.isEmpty()) {
            return new WalkedPath(files, walk.failure);
        }
        var here = files.isEmpty() ? where : RefusedPaths.Where.at(files.getLast().handle());
        var there = here.resolve(names.get(files.size()));
        return new WalkedPath(
                files,
                Optional.of(new RefusedPaths(calls).explained(walk.failure.get(), there, what)));
    }

    /** Returns the handle of a directory by its path from the root of the server. */
    FileHandle handle(PathName path) throws IOException, InterruptedException {
        var walk = fromRoot(path.names(), path);
        if (walk.failure.isPresent()) {
            throw walk.failure.get();
        }
        return walk.found.getLast().file.handle();
    }

    /**
     * Mounts the directory on a path at which the last file system on it begins, as far as the path
     * is there. A junction shows by another FSID (RFC 8881, Section 5.8.1.9).
     */
    MountedExport mountFor(PathName path) throws IOException, InterruptedException {
        var names = path.names();
        long changes = calls.changes().count();
        var walk = fromRoot(names.subList(0, Math.min(names.size(), NAMES_MAX)), path);
        var here = PathName.of("/");
        var last = walk.found.getFirst();
        var begun = new ArrayList<>(List.of(here));
        int above = 0;
        for (int i = 1; i < walk.found.size(); i++) {
            var next = walk.found.get(i);
            here = here.resolve(names.get(i - 1));
            if (!fileSystem(next).equals(fileSystem(last))) {
                begun.add(here);
                last = next;
                above = i;
            }
        }
        keep(last.file.handle(), names, above, walk, changes);
        return new MountedExport(begun, begun.getLast(), last.file, Optional.of(last.limits));
    }

    /** Keeps what was told of the names below an export, if all of them were looked up. */
    private void keep(FileHandle export, List<FileName> names, int above, Walk walk, long changes) {
        int found = walk.found.size() - 1;
        boolean isAll =
                walk.failure.isEmpty()
                        ? found == names.size()
                        : found == names.size() - 1 && walk.failure.get().status() == Status.NOENT;
        if (isAll) {
            var files = walk.found.stream().skip(above + 1L).map(Found::file).toList();
            known.set(
                    new Known(
                            export,
                            List.copyOf(names.subList(above, names.size())),
                            new WalkedPath(files, walk.failure),
                            calls.threads().nanoTime(),
                            changes));
        }
    }

    private static FileSystemId fileSystem(Found found) {
        return found.file.attributes().fileSystem();
    }

    private Walk fromRoot(List<FileName> names, PathName path)
            throws IOException, InterruptedException {
        return walked(
                RefusedPaths.Where.root(),
                new Step(Plan.atRoot(), MOUNTED).told(),
                1,
                names,
                "cannot mount " + path.escaped());
    }

    /**
     * Walks.
     *
     * @param begins where the first step begins
     * @param begun how many files the first step tells before its first name
     */
    private Walk walked(
            RefusedPaths.Where begins, Step first, int begun, List<FileName> names, String what)
            throws IOException, InterruptedException {
        var found = new ArrayList<Found>();
        var where = begins;
        var step = first;
        int before = begun;
        var left = names;
        while (true) {
            var now = left.subList(0, Math.min(left.size(), most(before)));
            for (var name : now) {
                step = step.named(name);
            }
            var plan = step.plan;
            int told = before;
            var part = part(where, plan, told, now.size(), what);
            found.addAll(part.found);
            left = left.subList(now.size(), left.size());
            if (left.isEmpty() || part.failure.isPresent()) {
                return new Walk(found, part.failure);
            }
            where = RefusedPaths.Where.at(found.getLast().file.handle());
            step = new Step(where.start(), step.wanted);
            before = 0;
        }
    }

    private Walk part(RefusedPaths.Where where, Plan plan, int begun, int names, String what)
            throws IOException, InterruptedException {
        try {
            return calls.run(plan, what, results -> told(results.done(1), begun, names));
        } catch (NfsException refused) {
            throw new RefusedPaths(calls).explained(refused, where, what);
        }
    }

    /** Returns how many names a call has room for. */
    private int most(int begun) {
        // SEQUENCE, and the start of the plan.
        int operations = calls.operationsMax() - 2 - (OPERATIONS_PER_NAME - 1) * begun;
        int bytes = calls.roomForData() / BYTES_PER_NAME - begun;
        return Math.max(1, Math.min(operations / OPERATIONS_PER_NAME, bytes));
    }

    private Walk told(Results results, int begun, int names) throws IOException {
        var found = new ArrayList<Found>();
        for (int i = 0; i < begun; i++) {
            found.add(next(results));
        }
        try {
            for (int i = 0; i < names; i++) {
                found.add(next(results.done(1)));
            }
            return new Walk(found, Optional.empty());
        } catch (NfsException end) {
            if (end.status() == Status.JUKEBOX || end.status() == Status.GRACE) {
                throw end;
            }
            // Nothing is there, or a link, or this caller may not go on.
            return new Walk(found, Optional.of(end));
        }
    }

    private Found next(Results results) throws IOException {
        var handle = Nfs4Values.handle(results.next(HandleResult.GetFh.class).handle());
        var encoded = results.next(AttributeResult.GetAttr.class).attributes();
        return Results.decoded(
                () -> {
                    var read = ReadAttributes.decode(encoded);
                    return new Found(
                            new RemoteFile(handle, Nfs4Values.attributes(read)),
                            FileSystemQuestions.limits(read, calls.roomForData()));
                });
    }
}
