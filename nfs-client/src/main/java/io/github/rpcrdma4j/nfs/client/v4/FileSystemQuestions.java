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
import io.github.rpcrdma4j.xdr.XdrException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Asks a server what a file system holds and takes, by GETATTR (RFC 8881, Section 5).
 *
 * <p>Tests: {@code FileServiceTest}, {@code FileXattrsTest}.
 */
record FileSystemQuestions(Nfs4Session session) {
    private static final AttributeSet LIMITS =
            AttributeSet.of(
                    Attribute.MAXREAD,
                    Attribute.MAXWRITE,
                    Attribute.MAXFILESIZE,
                    Attribute.TIME_DELTA);
    private static final AttributeSet FILE_SYSTEM = AttributeSet.of(Attribute.FSID);
    private static final AttributeSet XATTRS = AttributeSet.of(Attribute.XATTR_SUPPORT);

    /** How deep below the root file systems are looked for: two operations for each name. */
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
        int most = session.roomForData();
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
        return session.run(
                Plan.at(Nfs4Values.handle(file)).attributes(wanted, NUMBERS_BYTES),
                what,
                results -> {
                    var encoded = results.done(1).next(AttributeResult.GetAttr.class).attributes();
                    return Results.decoded(() -> conversion.of(ReadAttributes.decode(encoded)));
                });
    }

    /**
     * Returns the directories on a path at which a file system begins, the root first, as far as
     * the path is there. A junction shows by another FSID (RFC 8881, Section 5.8.1.9).
     */
    List<PathName> on(PathName path) throws IOException, InterruptedException {
        var names = path.names();
        var walked = names.subList(0, Math.min(names.size(), NAMES_MAX));
        var plan = Plan.atRoot().attributes(FILE_SYSTEM, NUMBERS_BYTES);
        for (var name : walked) {
            plan = plan.lookup(name).attributes(FILE_SYSTEM, NUMBERS_BYTES);
        }
        return session.run(
                plan, "cannot mount " + path.escaped(), results -> begun(walked, results));
    }

    private static List<PathName> begun(List<FileName> names, Results results) throws IOException {
        var at = PathName.of("/");
        var found = new ArrayList<>(List.of(at));
        var before = fileSystem(results);
        for (var name : names) {
            FileSystemId now;
            try {
                now = fileSystem(results);
            } catch (NfsException end) {
                if (end.status() == Status.JUKEBOX) {
                    throw end;
                }
                // Nothing is there, or a link, or this caller may not go on.
                return found;
            }
            at = at.resolve(name);
            if (!now.equals(before)) {
                found.add(at);
            }
            before = now;
        }
        return found;
    }

    private static FileSystemId fileSystem(Results results) throws IOException {
        var encoded = results.done(1).next(AttributeResult.GetAttr.class).attributes();
        return Results.decoded(() -> ReadAttributes.decode(encoded).fileSystem());
    }
}
