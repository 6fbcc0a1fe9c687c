package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.SpaceStatus;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.client.service.TransferLimits;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.FsLocations;
import io.github.rpcrdma4j.nfs.v4.attribute.ReadAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeResult;
import io.github.rpcrdma4j.xdr.XdrException;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Asks a server what its file systems hold and take, by GETATTR (RFC 8881, Section 5).
 *
 * <p>Tests: {@code FileServiceTest}, {@code FileXattrsTest}.
 */
record FileSystemQuestions(CompoundCalls calls) {
    /** What {@link #limits(ReadAttributes, int)} asks for. */
    static final AttributeSet LIMITS =
            AttributeSet.of(
                    Attribute.MAXREAD,
                    Attribute.MAXWRITE,
                    Attribute.MAXFILESIZE,
                    Attribute.TIME_DELTA);

    private static final AttributeSet XATTRS = AttributeSet.of(Attribute.XATTR_SUPPORT);

    private static final AttributeSet SPACE =
            AttributeSet.of(
                    Attribute.SPACE_TOTAL,
                    Attribute.SPACE_FREE,
                    Attribute.SPACE_AVAIL,
                    Attribute.FILES_TOTAL,
                    Attribute.FILES_FREE,
                    Attribute.FILES_AVAIL);

    private static final AttributeSet LOCATIONS = AttributeSet.of(Attribute.FS_LOCATIONS);

    /** A longer list of places is not shown. */
    private static final int LOCATIONS_BYTES = 16 << 10;

    private static final int SHOWN_MAX = 3;
    private static final int CHARACTERS_MAX = 300;

    /** The most bytes of the values of {@link #LIMITS} and of {@link #SPACE}. */
    static final int NUMBERS_BYTES = 64;

    TransferLimits limits(FileHandle directory) throws IOException, InterruptedException {
        int most = calls.roomForData();
        return asked(directory, LIMITS, "cannot ask for the limits", read -> limits(read, most));
    }

    /**
     * Returns the limits of a file system.
     *
     * @param most the most bytes of data of a call or a reply
     */
    static TransferLimits limits(ReadAttributes read, int most) throws XdrException {
        return TransferLimits.told(
                least(Nfs4Values.hyper(read, Attribute.MAXREAD, most), most),
                least(Nfs4Values.hyper(read, Attribute.MAXWRITE, most), most),
                Nfs4Values.hyper(read, Attribute.MAXFILESIZE, Long.MAX_VALUE),
                Nfs4Values.step(read));
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
     * Returns a failure with what the server tells of the places, if it is of a file system that is
     * elsewhere (RFC 8881, Section 11.3); else the failure itself. The client does not go there: a
     * server could send it, with the rights of its user, to any host. The user reads the places,
     * and may.
     *
     * @param to ends at the file, or at its name
     */
    NfsException elsewhere(NfsException failure, Plan to, String what) throws InterruptedException {
        if (failure.status() != Status.MOVED) {
            return failure;
        }
        try {
            var places = asked(to, what);
            return places.isEmpty()
                    ? failure
                    : NfsException.found(what, told(places), Status.MOVED);
        } catch (IOException _) {
            // The server does not tell.
            return failure;
        }
    }

    private List<FsLocations.Location> asked(Plan to, String what)
            throws IOException, InterruptedException {
        int before = to.operations().size();
        return calls.run(
                to.attributes(LOCATIONS, LOCATIONS_BYTES),
                what,
                results -> {
                    var encoded =
                            results.done(before).next(AttributeResult.GetAttr.class).attributes();
                    return Results.decoded(
                            () -> {
                                var read = ReadAttributes.decode(encoded);
                                Nfs4Values.require(read, Attribute.FS_LOCATIONS);
                                return read.locations().locations();
                            });
                });
    }

    private static String told(List<FsLocations.Location> places) {
        var shown =
                places.stream()
                        .limit(SHOWN_MAX)
                        .map(FileSystemQuestions::told)
                        .collect(Collectors.joining(", "));
        int more = places.size() - SHOWN_MAX;
        return "it is at another server, and must be named there: "
                + shown
                + (more > 0 ? ", and " + more + " more" : "");
    }

    private static String told(FsLocations.Location place) {
        var servers =
                place.servers().stream()
                        .limit(SHOWN_MAX)
                        .map(each -> new FileName(each.bytes()).escaped())
                        .collect(Collectors.joining(" or "));
        var path = place.path().stream().map(FileName::escaped).collect(Collectors.joining("/"));
        var text = servers + ":/" + path;
        return text.length() > CHARACTERS_MAX ? text.substring(0, CHARACTERS_MAX) + "..." : text;
    }
}
