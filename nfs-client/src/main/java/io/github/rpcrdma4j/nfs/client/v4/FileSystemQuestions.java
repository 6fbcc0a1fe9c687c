package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.SpaceStatus;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.client.service.TransferLimits;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.FileSystemId;
import io.github.rpcrdma4j.nfs.v4.attribute.ReadAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeResult;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import io.github.rpcrdma4j.xdr.XdrException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Asks a server where file systems are, and what they hold and take, by GETATTR (RFC 8881, Section
 * 5).
 *
 * <p>Tests: {@code FileServiceTest}, {@code FileXattrsTest}, {@code FewOperationsTest}.
 */
record FileSystemQuestions(CompoundCalls calls) {
    private static final AttributeSet LIMITS =
            AttributeSet.of(
                    Attribute.MAXREAD,
                    Attribute.MAXWRITE,
                    Attribute.MAXFILESIZE,
                    Attribute.TIME_DELTA);
    private static final AttributeSet FILE_SYSTEM = AttributeSet.of(Attribute.FSID);
    private static final AttributeSet XATTRS = AttributeSet.of(Attribute.XATTR_SUPPORT);

    /** How deep below the root file systems are looked for. */
    private static final int NAMES_MAX = 16;

    private static final AttributeSet SPACE =
            AttributeSet.of(
                    Attribute.SPACE_TOTAL,
                    Attribute.SPACE_FREE,
                    Attribute.SPACE_AVAIL,
                    Attribute.FILES_TOTAL,
                    Attribute.FILES_FREE,
                    Attribute.FILES_AVAIL);

    /** The most bytes of the values of {@link #LIMITS} and of {@link #SPACE}. */
    private static final int NUMBERS_BYTES = 64;

    TransferLimits limits(FileHandle directory) throws IOException, InterruptedException {
        int most = calls.roomForData();
        return asked(
                directory,
                LIMITS,
                "cannot ask for the limits",
                read ->
                        TransferLimits.told(
                                least(Nfs4Values.hyper(read, Attribute.MAXREAD, most), most),
                                least(Nfs4Values.hyper(read, Attribute.MAXWRITE, most), most),
                                Nfs4Values.hyper(read, Attribute.MAXFILESIZE, Long.MAX_VALUE),
                                Nfs4Values.step(read)));
    }

    private static int least(long told, int most) {
        return told == 0 || Long.compareUnsigned(told, most) > 0 ? most : (int) told;
    }

    SpaceStatus space(FileHandle file) throws IOException, InterruptedException {
        return asked(
                file,
                SPACE,
                "cannot ask for the space",
                read ->
                        new SpaceStatus(
                                Nfs4Values.hyper(read, Attribute.SPACE_TOTAL, 0),
                                Nfs4Values.hyper(read, Attribute.SPACE_FREE, 0),
                                Nfs4Values.hyper(read, Attribute.SPACE_AVAIL, 0),
                                Nfs4Values.hyper(read, Attribute.FILES_TOTAL, 0),
                                Nfs4Values.hyper(read, Attribute.FILES_FREE, 0),
                                Nfs4Values.hyper(read, Attribute.FILES_AVAIL, 0)));
    }

    boolean keepsXattrs(FileHandle file, String what) throws IOException, InterruptedException {
        return asked(
                file,
                XATTRS,
                what,
                read ->
                        read.present().has(Attribute.XATTR_SUPPORT)
                                && read.flag(Attribute.XATTR_SUPPORT));
    }

    /** Makes a value of attributes. */
    private interface FromAttributes<T> {
        T of(ReadAttributes read) throws XdrException;
    }

    private <T> T asked(
            FileHandle file, AttributeSet wanted, String what, FromAttributes<T> conversion)
            throws IOException, InterruptedException {
        return calls.run(
                Plan.at(Nfs4Values.handle(file)).attributes(wanted, NUMBERS_BYTES),
                what,
                results -> {
                    var encoded = results.done(1).next(AttributeResult.GetAttr.class).attributes();
                    return Results.decoded(() -> conversion.of(ReadAttributes.decode(encoded)));
                });
    }

    /**
     * Returns the handle of a directory. A long path takes several calls, because servers limit the
     * operations of each.
     */
    FileHandle handle(PathName path) throws IOException, InterruptedException {
        // SEQUENCE, and the handles of the start and of the end, are beside the names.
        int most = calls.operationsMax() - 3;
        var left = path.names();
        var plan = Plan.atRoot();
        while (true) {
            var names = left.subList(0, Math.min(left.size(), most));
            for (var name : names) {
                plan = plan.lookup(name);
            }
            int before = plan.operations().size();
            var here =
                    calls.run(
                            plan.handle(),
                            "cannot mount " + path.escaped(),
                            results ->
                                    results.done(before).next(HandleResult.GetFh.class).handle());
            left = left.subList(names.size(), left.size());
            if (left.isEmpty()) {
                return Nfs4Values.handle(here);
            }
            plan = Plan.at(here);
        }
    }

    /**
     * Returns the directories on a path at which a file system begins, the root first, as far as
     * the path is there. A junction shows by another FSID (RFC 8881, Section 5.8.1.9).
     */
    List<PathName> on(PathName path) throws IOException, InterruptedException {
        // SEQUENCE, the handles of the start and of the end, and what is asked of the root.
        int most = (calls.operationsMax() - 4) / 2;
        var names = path.names();
        var left = names.subList(0, Math.min(names.size(), NAMES_MAX));
        var what = "cannot mount " + path.escaped();
        var walk = Walk.START;
        var plan = Plan.atRoot().attributes(FILE_SYSTEM, NUMBERS_BYTES);
        while (true) {
            var walked = left.subList(0, Math.min(left.size(), most));
            left = left.subList(walked.size(), left.size());
            for (var name : walked) {
                plan = plan.lookup(name).attributes(FILE_SYSTEM, NUMBERS_BYTES);
            }
            boolean isLast = left.isEmpty();
            var before = walk;
            walk =
                    calls.run(
                            isLast ? plan : plan.handle(),
                            what,
                            results -> before.step(walked, isLast, results));
            if (walk.next().isEmpty()) {
                return walk.begun();
            }
            plan = Plan.at(walk.next().get());
        }
    }

    /**
     * A walk along a path, up to a directory. Immutable, because a server may delay a step.
     *
     * @param begun the directories at which a file system begins
     * @param fileSystem the one at the directory; null before the first step
     * @param next where the next step begins; empty if there is none
     */
    private record Walk(
            PathName at,
            List<PathName> begun,
            FileSystemId fileSystem,
            Optional<io.github.rpcrdma4j.nfs.v4.type.FileHandle> next) {
        static final Walk START =
                new Walk(PathName.of("/"), List.of(PathName.of("/")), null, Optional.empty());

        Walk step(List<FileName> names, boolean isLast, Results results) throws IOException {
            var here = at;
            var found = new ArrayList<>(begun);
            var before = fileSystem == null ? nextFileSystem(results) : fileSystem;
            if (fileSystem != null) {
                results.done(1);
            }
            for (var name : names) {
                FileSystemId now;
                try {
                    now = nextFileSystem(results);
                } catch (NfsException end) {
                    if (end.status() == Status.JUKEBOX) {
                        throw end;
                    }
                    // Nothing is there, or a link, or this caller may not go on.
                    return new Walk(here, found, before, Optional.empty());
                }
                here = here.resolve(name);
                if (!now.equals(before)) {
                    found.add(here);
                }
                before = now;
            }
            return new Walk(
                    here,
                    found,
                    before,
                    isLast
                            ? Optional.empty()
                            : Optional.of(results.next(HandleResult.GetFh.class).handle()));
        }
    }

    private static FileSystemId nextFileSystem(Results results) throws IOException {
        var encoded = results.done(1).next(AttributeResult.GetAttr.class).attributes();
        return Results.decoded(() -> ReadAttributes.decode(encoded).fileSystem());
    }
}
